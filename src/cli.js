#!/usr/bin/env node
// Every user of the machine can list its processes, and an argument may hold a password: the title takes the place of the
// arguments before anything else is loaded, which takes a while.
const commands = process.argv.slice(2);
const others = commands.findIndex((word) => !/^[a-z]+$/.test(word));
process.title = ['pool-lab', ...others < 0 ? commands : commands.slice(0, others)].join(' ');

const { surviveBrokenOutput } = await import('./broken-output.js');
surviveBrokenOutput();
const { runProgram } = await import('./cli/program.js');
await runProgram(commands);
