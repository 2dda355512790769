// Tries every parser and every endpoint with what nobody should send, and prints how many cases failed.
import { Command } from 'commander';
import { parseWhole } from '../src/bench/lab-options.js';
import { orInvalid } from '../src/cli/options.js';
import { startEmbeddedMongo } from '../src/mongo/embedded.js';
import { readSettings } from '../src/settings.js';
import { createFuzzer } from '../test/fuzz/fuzzer.js';

const parse = orInvalid(parseWhole);

await new Command('npm run fuzz --')
  .argument('[targets...]', 'parts of the names of those to try', [])
  .option('--cases <n>', 'cases of each', parse, 10_000)
  .option('--seed <n>', 'gives the same cases again', parse, Date.now() % 2 ** 31)
  .action(fuzz)
  .parseAsync();

/**
 * @param {string[]} parts
 * @param {{ cases: number, seed: number }} options
 */
async function fuzz(parts, { cases, seed }) {
  const mongo = await startEmbeddedMongo(readSettings());
  const fuzzer = await createFuzzer({ mongoUrl: mongo.url });
  const names = fuzzer.names.filter((name) => parts.length === 0 || parts.some((part) => name.includes(part)));
  const print = (/** @type {string} */ name, /** @type {unknown[]} */ ...figures) => (
    process.stdout.write(`${name.padEnd(32)}${figures.map((figure) => String(figure).padStart(10)).join('')}\n`));
  try {
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
