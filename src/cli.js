#!/usr/bin/env node
import { createProgram } from './cli/program.js';
import { toPrintable } from './printable.js';

// Every user of the machine can list its processes, and --url may hold a password.
process.title = ['pool-lab', ...process.argv.slice(2).map(toPrintable)].join(' ');

try {
  await createProgram().parseAsync();
} catch (error) {
  process.stderr.write(`${toPrintable(error instanceof Error ? error.message : String(error))}\n`);
  process.exitCode ||= 1;
}
