import { createRequire } from 'node:module';
import { Command, CommanderError } from 'commander';
import { toPrintable } from '../printable.js';
import { createAdviseCommand } from './advise-command.js';
import { createListCommand } from './list-command.js';
import { createPredictCommand } from './predict-command.js';
import { createRecordCommand } from './record-command.js';
import { createReportCommand } from './report-command.js';
import { createRunCommand } from './run-command.js';
import { createWorkshopCommand } from './workshop-command.js';

const { version, description } = createRequire(import.meta.url)('../../package.json');

/** The command `pool-lab` with all its subcommands. */
export function createProgram() {
  const program = new Command('pool-lab')
    .description(description)
    .version(version)
    .showHelpAfterError('(see --help)')
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(toPrintable(text)) });
  const commands = [
    createListCommand(), createRunCommand(), createReportCommand(), createPredictCommand(), createAdviseCommand(),
    createRecordCommand(), createWorkshopCommand(),
  ];
  for (const command of commands) addCommand(program, command);
  return program;
}

/**
 * Run `pool-lab`. An error is printed to stderr and sets the exit code.
 * @param {string[]} args
 */
export async function runProgram(args) {
  try {
    await createProgram().parseAsync(args, { from: 'user' });
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
 * Commander hands settings down to commands that it makes, not to those it is given.
 * @param {Command} parent
 * @param {Command} command
 */
function addCommand(parent, command) {
  if (command.parent !== parent) parent.addCommand(command);
  command.copyInheritedSettings(parent);
  for (const child of command.commands) addCommand(command, child);
}
