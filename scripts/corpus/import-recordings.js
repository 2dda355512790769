// Takes over what benchmarks have kept in folders: the loads of predicted-vs-measured.js, the causes of doctor.js.
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { createRandom, pickPool, summariseTrace } from 'mongodb-pool-predictor';
import { readTrace } from 'mongodb-pool-predictor/node';
import { drawCase } from '../../benchmarks/doctor/cases.js';
import { RECORDED, meanUses } from '../../benchmarks/predicted-vs-measured/apps.js';
import { GOAL, chooseLimitMs } from '../../benchmarks/predicted-vs-measured/goals.js';
import { KINDS, slugOf } from '../../benchmarks/predicted-vs-measured/recorded-loads.js';
import { keepFacts, layOutJson } from './facts.js';
import { CORPUS, TRACE_END } from './recordings.js';

/** @import { Injected, Measured } from './recordings.js' */

/** Limit for the recordings of causes. It separates requests that wait from those that don't. */
const CAUSE_LIMIT_MS = 50;

/**
 * Adds recordings, or replaces those of the same names.
 * @param {string} folder of a benchmark's --keep
 */
export async function importRecordings(folder) {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.jsonl'));
  for (const [kind, { isCpuBound = false, options }] of Object.entries(KINDS)) {
    const files = new Map(
      names.flatMap((name) => {
        const [, slug, pool] = name.match(/^(.+)-(\d+)-\d+s\.jsonl$/) ?? [];
        return slug === slugOf(kind) ? [[Number(pool), path.join(folder, name)]] : [];
      }),
    );
    if (!RECORDED.every((pool) => files.has(pool))) continue;
    const client = options?.appName;
    const sizes = [...files].map(async ([pool, file]) => [pool, await measure(file, client)]);
    const measured = Object.fromEntries(await Promise.all(sizes));
    const [one, other] = RECORDED.map((pool) => measured[pool][GOAL.route][GOAL.figure]);
    const goal = `${GOAL.route} ${GOAL.figure.replace('Ms', '')} < ${chooseLimitMs(one, other)} ms`;
    await store(
      `loads/${slugOf(kind)}`,
      'measured',
      /** @type {Measured} */ ({ kind, isCpuBound, client, goal, measured }),
    );
    for (const pool of RECORDED)
      await storeTrace(`loads/${slugOf(kind)}`, `recorded-at-${pool}`, String(files.get(pool)));
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

/** @param {string} file trace @param {string} [client] @returns {Promise<Measured['measured'][string]>} by route */
async function measure(file, client) {
  const { trace } = pickPool(await readTrace(file), { client });
  const useMs = meanUses(trace);
  return Object.fromEntries(
    Object.entries(summariseTrace(trace).routes).map(([route, { count, meanMs, p50Ms, p95Ms }]) => [
      route,
      { count, meanMs, p50Ms, p95Ms, useMs: useMs[route] },
    ]),
  );
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
