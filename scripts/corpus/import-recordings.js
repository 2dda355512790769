// Takes over what benchmarks have kept in folders: the loads of predicted-vs-measured.js, the causes of doctor.js.
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { createRandom } from 'mongodb-pool-predictor';
import { readTrace } from 'mongodb-pool-predictor/node';
import { drawCase } from '../../benchmarks/doctor/cases.js';
import { RECORDED } from '../../benchmarks/predicted-vs-measured/apps.js';
import { GOAL, chooseLimitMs } from '../../benchmarks/predicted-vs-measured/goals.js';
import { measureRoutes } from '../../benchmarks/predicted-vs-measured/measure-routes.js';
import { KINDS, slugOf } from '../../benchmarks/predicted-vs-measured/recorded-loads.js';
import { keepFacts, layOutJson } from './facts.js';
import { CORPUS, TRACE_END, readJson } from './recordings.js';

/** @import { Injected, Measured } from './recordings.js' */

/** Limit for the recordings of causes. It separates requests that wait from those that don't. */
const CAUSE_LIMIT_MS = 50;

/**
 * Adds recordings, or replaces those of the same names.
 * @param {string} folder of a benchmark's --keep
 */
export async function importRecordings(folder) {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.jsonl'));
  for (const kind of Object.keys(KINDS)) {
    const filesOf = (/** @type {string} */ again) =>
      new Map(
        names.flatMap((name) => {
          const [, slug, pool, ending] = name.match(/^(.+)-(\d+)-\d+s(|-again)\.jsonl$/) ?? [];
          return slug === slugOf(kind) && ending === again ? [[Number(pool), path.join(folder, name)]] : [];
        }),
      );
    await importKind(kind, filesOf(''), filesOf('-again'));
  }
  for (const name of names) {
    const [, cause, seed] = name.match(/^([a-z]+)-(\d+)\.jsonl$/i) ?? [];
    if (cause === undefined) continue;
    const { expected = cause, client, load } = drawCase(cause, createRandom(Number(seed)).uniform);
    const goal = `${load[load.length - 1].route} p95 < ${CAUSE_LIMIT_MS} ms`;
    await store(`causes/${cause}`, 'injected', /** @type {Injected} */ ({ cause: expected, client, goal }));
    await storeTrace(`causes/${cause}`, Number(seed) % 2 === 0 ? 'open-loop' : 'closed-loop', path.join(folder, name));
  }
}

/**
 * @param {string} kind of load
 * @param {Map<number, string>} files by pool size; without both sizes that predict, the stored measurement stays
 * @param {Map<number, string>} again the same, measured once more; sizes that it lacks stay as stored
 */
async function importKind(kind, files, again) {
  const folder = `loads/${slugOf(kind)}`;
  const isNew = RECORDED.every((pool) => files.has(pool));
  const stored = await readJson(`${folder}/measured.json`);
  if (!isNew && (again.size === 0 || !stored)) return;
  const { isCpuBound = false, options: { appName: client } = {} } = KINDS[kind];
  const measured = isNew ? await measureAll(files, client) : stored.measured;
  const measuredAgain = { ...stored?.again, ...(await measureAll(again, client)) };
  const [one, other] = RECORDED.map((pool) => measured[pool][GOAL.route][GOAL.figure]);
  await store(
    folder,
    'measured',
    /** @type {Measured} */ ({
      ...{ kind, isCpuBound, client },
      goal: `${GOAL.route} ${GOAL.figure.replace('Ms', '')} < ${chooseLimitMs(one, other)} ms`,
      ...{ measured, again: measuredAgain },
    }),
  );
  if (!isNew) return;
  for (const pool of RECORDED) await storeTrace(folder, `recorded-at-${pool}`, String(files.get(pool)));
}

/** @param {Map<number, string>} files by pool size @param {string} [client] @returns {Promise<Measured['measured']>} */
async function measureAll(files, client) {
  const sizes = [...files].map(async ([pool, file]) => [pool, measureRoutes(await readTrace(file), client)]);
  return Object.fromEntries(await Promise.all(sizes));
}

/** @param {string} folder @param {string} name @param {object} truth */
async function store(folder, name, truth) {
  await mkdir(path.join(CORPUS, folder), { recursive: true });
  await writeFile(
    path.join(CORPUS, folder, `${name}.json`),
    `${layOutJson(keepFacts(JSON.parse(JSON.stringify(truth))))}\n`,
  );
}

/** @param {string} folder @param {string} name @param {string} file */
async function storeTrace(folder, name, file) {
  await writeFile(path.join(CORPUS, folder, `${name}${TRACE_END}`), gzipSync(await readFile(file), { level: 9 }));
}
