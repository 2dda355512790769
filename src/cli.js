#!/usr/bin/env node
import { runProgram } from './cli/program.js';
import { toPrintable } from './printable.js';

// Every user of the machine can list its processes, and --url may hold a password.
process.title = ['pool-lab', ...process.argv.slice(2).map(toPrintable)].join(' ');

await runProgram(process.argv.slice(2));
