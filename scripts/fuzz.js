// Tries every parser and every endpoint with what nobody should send, and prints how many cases failed.
import { Command } from 'commander';
import { parsePositive } from '../src/cli/options.js';
import { openMongo } from '../src/mongo/open.js';
import { readSettings } from '../src/settings.js';
import { createFuzzer } from '../test/fuzz/fuzzer.js';

const program = new Command('npm run fuzz --')
  .argument('[targets...]', 'those to try, by parts of their names (default: all)', [])
  .option('--cases <n>', 'cases of each', parsePositive, 10_000)
  .option('--seed <n>', 'gives the same cases again', parsePositive, Date.now() % 2 ** 31)
  .option('--file <module>', 'where the targets are, from test/fuzz on', './targets.js')
  .action(fuzz);
try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`${/** @type {Error} */ (error).message}\n`);
  process.exitCode = 1;
}

/**
 * @param {string[]} parts
 * @param {{ cases: number, seed: number, file: string }} options
 */
async function fuzz(parts, { cases, seed, file }) {
  const mongo = await openMongo(readSettings(), {
    report: (line) => process.stderr.write(`${line}\n`), signal: new AbortController().signal,
  });
  const fuzzer = await createFuzzer({ mongoUrl: mongo.url, file });
  try {
    const names = fuzzer.names.filter((name) => parts.length === 0 || parts.some((part) => name.includes(part)));
    if (names.length === 0) throw new Error(`There is no such target: they are ${fuzzer.names.join(', ')}`);
    print(`seed ${seed}`, 'cases', 'failures', 'seconds');
    for (const name of names) {
      const startedAt = performance.now();
      const { cases: tried, failure } = await fuzzer.run({ name, cases, seed });
      print(name, tried, failure === null ? 0 : 1, ((performance.now() - startedAt) / 1000).toFixed(1));
      if (failure === null) continue;
      process.stdout.write(`\n${failure}\n\n`);
      process.exitCode = 1;
    }
  } finally {
    await fuzzer.close();
    await mongo.stop();
  }
}

/**
 * @param {string} name
 * @param {unknown[]} figures
 */
function print(name, ...figures) {
  process.stdout.write(`${name.padEnd(30)}${figures.map((figure) => String(figure).padStart(10)).join('')}\n`);
}
