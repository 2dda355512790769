import { createRequire } from 'node:module';
import { Command, CommanderError, Help } from 'commander';
import { toPrintable } from '../../src/base/printable.js';
import { wrapMessage } from './lesson-text.js';

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
      report: 'show the results of earlier runs, or replay a trace',
    },
  },
  'Operate:': {
    example: 'pool-lab replicate --source mongodb://a/ --target mongodb://b/',
    commands: { replicate: 'copy a replica set to another MongoDB, and follow it' },
  },
};

const COMMANDS = Object.assign({}, ...Object.values(GROUPS).map(({ commands }) => commands));

/**
 * The command `pool-lab`.
 * @param {string[]} [loaded] the subcommands to load; the others have only a name and a summary
 */
export async function createProgram(loaded = Object.keys(COMMANDS)) {
  const program = new Command('pool-lab')
    .description(description)
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show this help')
    .addHelpCommand(
      new Command('help').argument('[command]').description('show the help of a command').helpGroup('Learn:'),
    )
    .showHelpAfterError('(see --help)')
    .configureHelp({ optionDescription, subcommandTerm, formatItemList })
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(toPrintable(text)) });
  for (const [heading, { commands }] of Object.entries(GROUPS)) {
    for (const [name, summary] of Object.entries(commands)) {
      const isLoaded = loaded.includes(name);
      const command = isLoaded ? (await import(`./${name}-command.js`)).createCommand() : new Command(name);
      addCommand(program, command.summary(summary).helpGroup(heading));
    }
  }
  return program;
}

/** Runs `pool-lab`. An error is printed to stderr and sets the exit code. @param {string[]} args */
export async function runProgram(args) {
  try {
    if (args.length === 0) {
      const { showStart } = await import('./show-start.js');
      return await showStart();
    }
    if (args[0] === 'case') args = ['workshop', ...args];
    if (args[0] === 'replay') args = ['report', ...args.slice(1)];
    const program = await createProgram(args.filter((arg) => Object.hasOwn(COMMANDS, arg)).slice(0, 1));
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) {
      // Commander has printed it. Help ends this way too, with exit code 0.
      process.exitCode = error.exitCode;
      return;
    }
    const message = error instanceof Error ? error.message : String(error);
    process.stderr.write(`${args[0] === 'workshop' ? wrapMessage(message) : toPrintable(message)}\n`);
    process.exitCode ||= 1;
  }
}

/**
 * Commander passes settings on to the commands it creates, but not to those added to it.
 * @param {Command} parent
 * @param {Command} command
 */
function addCommand(parent, command) {
  if (command.parent !== parent) parent.addCommand(command);
  command.copyInheritedSettings(parent);
  for (const child of command.commands) addCommand(command, child);
}

/** @this {Help} @param {import('commander').Option} option */
function optionDescription(option) {
  // Nobody needs to read that a flag is off unless it is given.
  return Help.prototype.optionDescription.call(this, option).replace(' (default: false)', '');
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
