import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { orInvalid } from '../../lab/cli/option-parsers.js';
import { abortOnSignal } from '../../lab/cli/signals.js';
import { createChoicesParser } from '../../lab/harness/lab-options.js';
import { startEmbeddedMongo } from '../../src/mongo/embedded.js';
import { readSettings } from '../../src/settings.js';

/**
 * The option that chooses some of what a benchmark tries.
 *
 * @param {string} what such as `loads`
 * @param {string[]} names
 */
export function onlyOption(what, names) {
  return /** @type {const} */ ([
    `--only <${what}>`,
    'with commas between them',
    orInvalid(createChoicesParser(names)),
    names,
  ]);
}

/**
 * What benchmarks that record an app on a real MongoDB need: the server, and a folder for the recordings.
 *
 * @param {string} name of the benchmark
 * @param {string} [keep] the folder; default: one that `close` removes
 */
export async function openBench(name, keep) {
  const say = (/** @type {string} */ line) => void process.stderr.write(`${line}\n`);
  const { signal, release } = abortOnSignal();
  const folder = keep ?? (await mkdtemp(path.join(os.tmpdir(), `pool-lab-${name}-`)));
  await mkdir(folder, { recursive: true });
  const mongo = await startEmbeddedMongo({
    ...readSettings(),
    searchPath: String(process.env.PATH),
    signal,
    report: say,
  });
  return {
    ...{ say, signal, folder, mongoUrl: mongo.url },
    async close() {
      await mongo.stop();
      if (!keep) await rm(folder, { recursive: true });
      release();
    },
  };
}
