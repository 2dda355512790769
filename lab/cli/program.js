import { createRequire } from 'node:module';
import { Command, CommanderError, Help } from 'commander';
import { toPrintable } from '../../src/base/printable.js';
import { addCommand } from './add-command.js';
import { optionDescription } from './fill-command.js';
import { hintAtFile } from './file-hints.js';
import { wrapMessage } from './lesson-text.js';
import { refuseWord } from './refuse-word.js';

const { version, description } = createRequire(import.meta.url)('../../package.json');

/**
 * The commands by what they are for, as `--help` shows them, each with its summary. A command's module is loaded when
 * the command is used: all of them take several times as long as `--help` should.
 * @type {Record<string, { example: string, commands: Record<string, string> }>}
 */
const GROUPS = {
  'Learn:': {
    example: 'pool-lab workshop 1',
    commands: {
      workshop: 'learn about pools in lessons of about 5 minutes',
      class: 'hold the workshop with others, on one page for the whole room',
      case: 'start a shop that is slow, and find out why',
    },
  },
  'Your app:': {
    example: 'pool-lab watch -- node app.js',
    commands: {
      watch: 'run your own app, and watch the pools of its processes',
      attach: 'watch the pools of a process that is already running',
      record: "record a running app's checkouts to a trace file",
      doctor: 'say why requests wait, and what to do',
      sweep: 'run your own app at several pool sizes, and compare',
    },
  },
  'Predict:': {
    example: "pool-lab advise --trace app.jsonl --slo '/users p99 < 50ms'",
    commands: {
      predict: 'predict a load test at each pool size, in milliseconds',
      advise: 'find the smallest pool that meets your goals',
    },
  },
  'Experiments:': {
    example: 'pool-lab run mixed',
    commands: {
      run: 'run an experiment; alone, it lists them all and how long they take',
      report: 'show the results of earlier runs, side by side',
      replay: 'play a trace, and what another pool size would have done',
    },
  },
  'Operate:': {
    example: 'pool-lab replicate --source mongodb://a/ --target mongodb://b/',
    commands: { replicate: 'copy a replica set to another MongoDB, and follow it' },
  },
};

/** @type {Record<string, string>} */
const COMMANDS = Object.assign({}, ...Object.values(GROUPS).map(({ commands }) => commands));

const EXAMPLE = 'For example:\n  npx pool-lab run mixed\n(see npx pool-lab --help)';

/** Commands whose errors are laid out like a lesson. */
const OF_LESSONS = ['workshop', 'case'];

/**
 * The command `pool-lab`.
 * @param {string[]} [loaded] the subcommands to load; the others have only a name and a summary
 */
export async function createProgram(loaded = Object.keys(COMMANDS)) {
  const program = new Command('pool-lab')
    .description(description)
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show this help')
    .configureHelp({ optionDescription, subcommandTerm, formatItemList })
    .showHelpAfterError(EXAMPLE)
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(toPrintable(text)) });
  program.on('command:*', ([word]) => refuseWord(program, word));
  for (const [heading, { commands }] of Object.entries(GROUPS)) {
    for (const [name, summary] of Object.entries(commands)) {
      const command = loaded.includes(name)
        ? addCommand(program, name, (await import(`./${name}-command.js`)).command)
        : program.command(name);
      command.summary(summary).helpGroup(heading);
    }
  }
  addCommand(program, 'help', HELP).helpGroup('Learn:');
  return program;
}

/**
 * `pool-lab help workshop guess`. The one of Commander shows its own help for a command that it does not know.
 * @type {import('./add-command.js').CommandData}
 */
const HELP = {
  about: 'show the help of a command',
  arguments: [['[command...]', '']],
  run(/** @type {string[]} */ words, _options, /** @type {Command} */ self) {
    let command = /** @type {Command} */ (self.parent);
    for (const word of words)
      command = command.commands.find((each) => each.name() === word) ?? refuseWord(command, word);
    command.help();
  },
};

/** Runs `pool-lab`. An error is printed to stderr and sets the exit code. @param {string[]} args */
export async function runProgram(args) {
  try {
    if (args.length === 0) {
      const { showStart } = await import('./show-start.js');
      return await showStart();
    }
    const program = await createProgram(chooseLoaded(args));
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) {
      // Commander has printed it. Help ends this way too, with exit code 0.
      process.exitCode = error.exitCode;
      return;
    }
    const message = error instanceof Error ? error.message : String(error);
    const hint = await hintAtFile(error);
    const text = OF_LESSONS.includes(args[0]) ? wrapMessage(message) : toPrintable(message);
    process.stderr.write(`${text}\n${hint && `(${toPrintable(hint)})\n`}`);
    process.exitCode ||= 1;
  }
}

/** @param {string[]} args @returns {string[] | undefined} all, to find out what an unknown word may mean */
function chooseLoaded(args) {
  const [word] = args.filter((arg) => arg !== 'help' && !arg.startsWith('-'));
  if (word === undefined) return [];
  return Object.hasOwn(COMMANDS, word) ? [word] : undefined;
}

/**
 * Puts the example of a group below its commands.
 * @this {Help}
 * @param {string} heading
 * @param {string[]} items
 * @param {Help} helper
 */
function formatItemList(heading, items, helper) {
  const lines = Help.prototype.formatItemList.call(this, heading, items, helper);
  const example = GROUPS[heading]?.example;
  return example ? lines.with(-1, `  e.g. ${example}`).concat('') : lines;
}

/** @param {Command} command */
function subcommandTerm(command) {
  const args = command.registeredArguments.map((argument) =>
    argument.required ? `<${argument.name()}>` : `[${argument.name()}]`,
  );
  return [command.name(), ...args].join(' ');
}
