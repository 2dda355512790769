#!/usr/bin/env node
import { createRequire } from 'node:module';
import { Command } from 'commander';
import { createAdviseCommand } from './cli/advise.js';
import { createListCommand } from './cli/list.js';
import { createPredictCommand } from './cli/predict.js';
import { createRecordCommand } from './cli/record.js';
import { createReportCommand } from './cli/report.js';
import { createRunCommand } from './cli/run.js';

const { version, description } = createRequire(import.meta.url)('../package.json');

const program = new Command('pool-lab')
  .description(description)
  .version(version)
  .showHelpAfterError('(see --help)')
  .addCommand(createListCommand())
  .addCommand(createRunCommand())
  .addCommand(createReportCommand())
  .addCommand(createPredictCommand())
  .addCommand(createAdviseCommand())
  .addCommand(createRecordCommand());

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode ||= 1;
}
