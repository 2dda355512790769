import { createRequire } from 'node:module';
import { Command, CommanderError, Help } from 'commander';
import { toPrintable } from '../printable.js';

const { version, description } = createRequire(import.meta.url)('../../package.json');

/**
 * A command's module is loaded when the command is used: all of them take several times as long as `--help` should.
 * @type {Record<string, { summary: string, load: () => Promise<Command> }>}
 */
const COMMANDS = {
  list: {
    summary: 'list the experiments and the question each one answers',
    load: async () => (await import('./list-command.js')).createListCommand(),
  },
  run: {
    summary: 'run an experiment and report the results',
    load: async () => (await import('./run-command.js')).createRunCommand(),
  },
  report: {
    summary: 'show the results of earlier runs, side by side',
    load: async () => (await import('./report-command.js')).createReportCommand(),
  },
  predict: {
    summary: 'predict a load test at each pool size, in milliseconds',
    load: async () => (await import('./predict-command.js')).createPredictCommand(),
  },
  advise: {
    summary: 'find the smallest pool that meets your goals',
    load: async () => (await import('./advise-command.js')).createAdviseCommand(),
  },
  record: {
    summary: "record a running app's checkouts to a trace file",
    load: async () => (await import('./record-command.js')).createRecordCommand(),
  },
  watch: {
    summary: 'run your own app, and watch the pools of its processes',
    load: async () => (await import('./watch-command.js')).createWatchCommand(),
  },
  attach: {
    summary: 'watch the pools of a process that already runs',
    load: async () => (await import('./attach-command.js')).createAttachCommand(),
  },
  sweep: {
    summary: 'run your own app at several pool sizes, and compare',
    load: async () => (await import('./sweep-command.js')).createSweepCommand(),
  },
  calibrate: {
    summary: 'measure what your queries cost a MongoDB server',
    load: async () => (await import('./calibrate-command.js')).createCalibrateCommand(),
  },
  replicate: {
    summary: 'copy a replica set to another MongoDB, and follow it',
    load: async () => (await import('./replicate-command.js')).createReplicateCommand(),
  },
  workshop: {
    summary: 'learn about pools in lessons of 5 to 15 minutes',
    load: async () => (await import('./workshop-command.js')).createWorkshopCommand(),
  },
  class: {
    summary: 'hold the workshop with others: one page for the whole room',
    load: async () => (await import('./class-command.js')).createClassCommand(),
  },
};

/**
 * The command `pool-lab`.
 * @param {string[]} [loaded] the subcommands to load; the others have only a name and a summary
 */
export async function createProgram(loaded = Object.keys(COMMANDS)) {
  const program = new Command('pool-lab')
    .description(description)
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show this help')
    .helpCommand('help [command]', 'show the help of a command')
    .showHelpAfterError('(see --help)')
    .configureHelp({ optionDescription, subcommandTerm })
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(toPrintable(text)) });
  for (const [name, { summary, load }] of Object.entries(COMMANDS)) {
    const command = loaded.includes(name) ? await load() : new Command(name);
    addCommand(program, command.summary(summary));
  }
  return program;
}

/** Run `pool-lab`. An error is printed to stderr and sets the exit code. @param {string[]} args */
export async function runProgram(args) {
  try {
    const program = await createProgram(args.filter((arg) => Object.hasOwn(COMMANDS, arg)).slice(0, 1));
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) {
      // Commander has printed it. Help ends this way too, with exit code 0.
      process.exitCode = error.exitCode;
      return;
    }
    process.stderr.write(`${toPrintable(error instanceof Error ? error.message : String(error))}\n`);
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

/** @param {Command} command */
function subcommandTerm(command) {
  const args = command.registeredArguments.map((argument) => (
    argument.required ? `<${argument.name()}>` : `[${argument.name()}]`));
  return [command.name(), ...args].join(' ');
}
