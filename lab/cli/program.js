import { createRequire } from 'node:module';
import { Command, CommanderError, Help } from 'commander';
import { toPrintable } from '../../src/base/printable.js';

const { version, description } = createRequire(import.meta.url)('../../package.json');

/**
 * The commands by what they are for, as `--help` shows them. A command's module is loaded when the command is used: all
 * of them take several times as long as `--help` should.
 * @type {Record<string, { example: string, commands: Record<string, Entry> }>}
 * @typedef {{ summary: string, load: () => Promise<{ createCommand: () => Command }> }} Entry
 */
const GROUPS = {
  'Learn:': {
    example: 'pool-lab workshop 1',
    commands: {
      workshop: {
        summary: 'learn about pools in lessons of about 5 minutes',
        load: () => import('./workshop-command.js'),
      },
      class: {
        summary: 'hold the workshop with others, on one page for the whole room',
        load: () => import('./class-command.js'),
      },
    },
  },
  'Your app:': {
    example: 'pool-lab watch -- node app.js',
    commands: {
      watch: {
        summary: 'run your own app, and watch the pools of its processes',
        load: () => import('./watch-command.js'),
      },
      attach: {
        summary: 'watch the pools of a process that is already running',
        load: () => import('./attach-command.js'),
      },
      record: {
        summary: "record a running app's checkouts to a trace file",
        load: () => import('./record-command.js'),
      },
      doctor: { summary: 'say why requests wait, and what to do', load: () => import('./doctor-command.js') },
      sweep: {
        summary: 'run your own app at several pool sizes, and compare',
        load: () => import('./sweep-command.js'),
      },
    },
  },
  'Predict:': {
    example: "pool-lab advise --trace app.jsonl --slo '/users p99 < 50ms'",
    commands: {
      predict: {
        summary: 'predict a load test at each pool size, in milliseconds',
        load: () => import('./predict-command.js'),
      },
      advise: { summary: 'find the smallest pool that meets your goals', load: () => import('./advise-command.js') },
    },
  },
  'Experiments:': {
    example: 'pool-lab run mixed',
    commands: {
      run: {
        summary: 'run an experiment; alone, it lists them all and how long they take',
        load: () => import('./run-command.js'),
      },
      report: {
        summary: 'show the results of earlier runs, or replay a trace',
        load: () => import('./report-command.js'),
      },
    },
  },
  'Operate:': {
    example: 'pool-lab replicate --source mongodb://a/ --target mongodb://b/',
    commands: {
      replicate: {
        summary: 'copy a replica set to another MongoDB, and follow it',
        load: () => import('./replicate-command.js'),
      },
    },
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
    for (const [name, { summary, load }] of Object.entries(commands)) {
      const command = loaded.includes(name) ? (await load()).createCommand() : new Command(name);
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
