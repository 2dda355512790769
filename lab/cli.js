#!/usr/bin/env node
// An argument may contain a password, and every user of the machine can list processes with their arguments. The title
// replaces the arguments before anything else is loaded, which takes a while.
const commands = process.argv.slice(2);
const firstOther = commands.findIndex((word) => !/^[a-z]+$/.test(word));
process.title = ['pool-lab', ...(firstOther < 0 ? commands : commands.slice(0, firstOther))].join(' ');

const { surviveBrokenOutput } = await import('../src/base/broken-output.js');
surviveBrokenOutput();
const { endWithNpm } = await import('./cli/signals.js');
endWithNpm();
const { hintAtFileLimit } = await import('../src/process/open-files.js');
try {
  const { runProgram } = await import('./cli/program.js');
  await runProgram(commands);
} catch (error) {
  const hint = hintAtFileLimit(error);
  if (!hint) throw error;
  process.stderr.write(`${/** @type {Error} */ (error).message}\n(${hint})\n`);
  process.exitCode = 1;
}
