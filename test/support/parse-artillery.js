// Child process of a test: argv[2] is a JSON list of command lines. Parses each one as Artillery would, without running
// it. Prints a list with the result of each, or null where Artillery would refuse it.
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const manifest = createRequire(import.meta.url).resolve('artillery/package.json');
const { Parser } = createRequire(manifest)('@oclif/core');

/** @param {string} line such as `run-fargate --count 10 test.yaml` */
async function parse(line) {
  const [name, ...argv] = line.split(' ');
  const file = path.join(path.dirname(manifest), 'dist', 'lib', 'cmds', `${name}.js`);
  const { default: command } = await import(pathToFileURL(file).href);
  // Artillery itself would treat an unknown option as a file name.
  return Parser.parse(argv, { flags: command.flags, args: command.args, strict: true }).catch(() => null);
}

process.stdout.write(JSON.stringify(await Promise.all(JSON.parse(process.argv[2]).map(parse))));
// The AWS modules it loads would keep the process alive.
process.exit();
