import { createRequire } from 'node:module';
import { Command } from 'commander';
import { toPrintable } from '../printable.js';
import { createAdviseCommand } from './advise.js';
import { createListCommand } from './list.js';
import { createPredictCommand } from './predict.js';
import { createRecordCommand } from './record.js';
import { createReportCommand } from './report.js';
import { createRunCommand } from './run.js';
import { createWorkshopCommand } from './workshop.js';

const { version, description } = createRequire(import.meta.url)('../../package.json');

/** The command `pool-lab` with all its subcommands. */
export function createProgram() {
  const program = new Command('pool-lab')
    .description(description)
    .version(version)
    .showHelpAfterError('(see --help)')
    .configureOutput({ outputError: (text, write) => write(toPrintable(text)) });
  const commands = [
    createListCommand(), createRunCommand(), createReportCommand(), createPredictCommand(), createAdviseCommand(),
    createRecordCommand(), createWorkshopCommand(),
  ];
  for (const command of commands) addCommand(program, command);
  return program;
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
