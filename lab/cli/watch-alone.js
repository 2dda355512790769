#!/usr/bin/env node
// The command `mongodb-pool-monitor`: `pool-lab watch` for those who have only that package. It is packed into it, with
// all that it imports, by scripts/pack-watch.js.
import { createRequire } from 'node:module';
import { Command, CommanderError } from 'commander';
import { surviveBrokenOutput } from '../../src/base/broken-output.js';
import { toPrintable } from '../../src/base/printable.js';
import { fillCommand, optionDescription } from './fill-command.js';
import { endWithNpm } from './signals.js';
import { WATCHING, watchApp } from './watch-app.js';

const NAME = 'mongodb-pool-monitor';

// An argument may contain a password, and every user of the machine can list processes with their arguments.
process.title = NAME;
surviveBrokenOutput();
endWithNpm();

const { version } = createRequire(import.meta.url)(`${NAME}/package.json`);
const program = new Command(NAME);
fillCommand(program, {
  ...WATCHING,
  // Its name alone could bring another package from a registry.
  typed: `npx ./${NAME}-${version}.tgz`,
  example: '--port 9000 -- node app.js',
  run: (/** @type {string[]} */ words, options) => watchApp(words, { ...options, tool: NAME }),
});
program
  .version(version, '-V, --version', 'print the version')
  .helpOption('-h, --help', 'show this help')
  .configureHelp({ optionDescription })
  .exitOverride()
  .configureOutput({ outputError: (text, write) => write(toPrintable(text)) });
try {
  await program.parseAsync();
} catch (error) {
  // Commander has printed its own. Help ends this way too, with exit code 0.
  if (error instanceof CommanderError) process.exitCode = error.exitCode;
  else {
    process.stderr.write(`${toPrintable(/** @type {Error} */ (error).message)}\n`);
    process.exitCode ||= 1;
  }
}
