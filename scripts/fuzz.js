// Sends hostile input to every parser and endpoint, and prints how many targets failed.
import { Command } from 'commander';
import { parsePositive } from '../lab/cli/option-parsers.js';
import { openMongo } from '../src/mongo/embedded.js';
import { readSettings } from '../src/settings.js';
import { createFuzzer } from '../test/repository/fuzz/fuzzer.js';

const program = new Command('npm run fuzz --')
  .description('send hostile input to every parser and endpoint')
  .argument('[targets...]', 'run only targets whose names contain one of these words')
  .option('--cases <n>', 'cases per target', parsePositive, 10_000)
  .option('--seed <n>', 'repeat the cases of an earlier run with this seed', parsePositive)
  .option('--file <module>', 'module with the targets, relative to test/repository/fuzz', './targets.js')
  .action(fuzz);
try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`${/** @type {Error} */ (error).message}\n`);
  process.exitCode = 1;
}

/** @param {string[]} words @param {{ cases: number, seed?: number, file: string }} options */
async function fuzz(words, { cases, seed = Date.now() % 2 ** 31, file }) {
  const mongo = await openMongo(readSettings(), {
    report: (line) => process.stderr.write(`${line}\n`),
    signal: new AbortController().signal,
  });
  const fuzzer = await createFuzzer({ mongoUrl: mongo.url, file });
  try {
    const names = fuzzer.names.filter((name) => words.length === 0 || words.some((word) => name.includes(word)));
    if (names.length === 0) throw new Error(`There is no such target. The targets are ${fuzzer.names.join(', ')}`);
    print(`seed ${seed}`, 'cases', 'failures', 'seconds');
    for (const name of names) {
      const startedAtMs = performance.now();
      const { cases: tried, failure } = await fuzzer.run({ name, cases, seed });
      print(name, tried, failure === null ? 0 : 1, ((performance.now() - startedAtMs) / 1000).toFixed(1));
      if (failure === null) continue;
      process.stdout.write(`\n${failure}\n\n`);
      process.exitCode = 1;
    }
  } finally {
    await fuzzer.close();
    await mongo.stop();
  }
}

/** @param {string} name @param {unknown[]} figures */
function print(name, ...figures) {
  process.stdout.write(`${name.padEnd(30)}${figures.map((figure) => String(figure).padStart(10)).join('')}\n`);
}
