import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { formatNumber } from 'mongodb-pool-page/universal/quantity.js';
import { sum } from 'mongodb-pool-predictor/statistics';
import { labs } from '../../labs/index.js';
import { findPublished as findHandles } from '../../labs/handles/handles-published.js';
import { PUBLISHED as INSERTS } from '../../labs/inserts/inserts-published.js';
import { findPublished as findMixed } from '../../labs/mixed/mixed-published.js';
import { PUBLISHED as REPLICATION } from '../../labs/replication/cases.js';
import { RUNS } from '../../labs/sessions/sessions-published.js';

const ALL_FIGURES = 117;
let compared = 0;

/** @type {Record<string, Record<string, string[][]>>} by lab and place: lines, each with its cells */
const documents = {};
for (const section of readFileSync(new URL('published-figures.txt', import.meta.url), 'utf8')
  .split(/^== /m)
  .slice(1)) {
  const [heading, ...lines] = section.trim().split('\n');
  let place = '';
  const places = (documents[heading.split(':')[0]] = /** @type {Record<string, string[][]>} */ ({}));
  for (const line of lines) {
    if (line.startsWith('@ ')) places[(place = line.slice(2))] = [];
    else places[place].push(line.split(' | '));
  }
}

/** @param {number | undefined} ours @param {number} theirs */
function compare(ours, theirs) {
  expect(ours).toBeCloseTo(theirs, 5);
  compared++;
}

const UNITS = /** @type {Record<string, number>} */ ({
  us: 0.001,
  ms: 1,
  s: 1000,
  m: 60_000,
  MB: 1,
  GB: 1000,
  '%': 1,
  '': 1,
});

/** @param {string} text such as `667.82us`, `2m20.1s`, `1.9 GB` or `424,251` @returns {number} in ms or MB */
function read(text) {
  const parts = [...text.replaceAll(/[, ]/g, '').matchAll(/([\d.]+)([a-zA-Z%]*)/g)];
  return parts.reduce((total, [, number, unit]) => total + Number(number) * UNITS[unit], 0);
}

test('handles: the better of two runs', () => {
  const { 'Result: c128 and c256, requests per second': table, ...runs } = documents.handles;
  const handles = ['one', 'several', 'sprintf', 'patched'];
  const rates = table.map(([line]) => line.match(/[\d.]+(?= |$)/g)?.map(Number));
  const places = Object.entries(runs);
  expect(places).toHaveLength(8);
  for (const [index, [place, lines]] of places.entries()) {
    const [better] = lines
      .map(([latency, rate]) => ({ latency: latency.split(' ').slice(1), rate: read(rate.replace(/.*: /, '')) }))
      .toSorted((a, b) => b.rate - a.rate);
    const connections = Number(place.match(/c(\d+)/)?.[1]);
    const ours = /** @type {any} */ (findHandles(handles[Math.floor(index / 2)], connections));
    compare(ours.ratePerSec, better.rate);
    expect(rates[Math.floor(index / 2)]?.[index % 2]).toBe(better.rate);
    for (const [at, figure] of ['avgMs', 'stdevMs', 'maxMs'].entries()) compare(ours[figure], read(better.latency[at]));
  }
  for (const handle of ['processes', 'gathered', 'bare']) expect(findHandles(handle, 128)).toBeNull();
});

test('inserts: 20 rates on five instances', () => {
  const [[[table]]] = Object.values(documents.inserts);
  const rows = table.split(/(?=[tm]\d\.)/);
  expect(rows).toHaveLength(INSERTS.instances.length);
  for (const [index, { instance, cores, ratesPerSec }] of INSERTS.instances.entries()) {
    const [, rates] = rows[index].match(`^${instance}${cores}((?:\\d{1,3},\\d{3}){4})$`) ?? [];
    for (const [at, rate] of rates.match(/\d+,\d{3}/g)?.entries() ?? []) {
      compare(ratesPerSec[INSERTS.cases[at]], read(rate));
    }
  }
});

test('replication: ten cases, the target alone, and the latency', () => {
  const [cases, ceilings, [[latency]]] = Object.values(documents.replication);
  expect(REPLICATION.cases).toHaveLength(cases.length);
  for (const [index, [rate, cpu, memory]] of cases.entries()) {
    const { ratePerSec, cpuPercent, averageRssMB } = REPLICATION.cases[index];
    compare(ratePerSec, read(rate));
    compare(cpuPercent, read(cpu));
    compare(averageRssMB, read(memory.replace(/.*, /, '')));
  }
  for (const [index, [threads, single, batched]] of ceilings.entries()) {
    const ours = REPLICATION.ceilings[index];
    expect(ours.threads).toBe(Number(threads));
    compare(ours.single, read(single));
    compare(ours.batched, read(batched));
  }
  expect(latency).toBe('less than 1 second');
  compare(REPLICATION.latencyBelowMs, 1000);
});

test('sessions: three kinds in nine runs', () => {
  const [runs] = Object.values(documents.sessions);
  for (const [options, ...took] of runs) {
    const [workers, queries, pool] = options.match(/\d+/g)?.map(Number) ?? [];
    const primed = options.endsWith('--session-first-ping');
    const ours = RUNS.find((run) => run.workers === workers && run.pool === pool && run.primed === primed);
    expect(ours?.queries).toBe(queries);
    for (const line of took) {
      const [, kind, time] = line.match(/^(\w+)\(\d+\): (.+)$/) ?? [];
      compare(Number(ours?.[/** @type {'fixed' | 'clone' | 'copy'} */ (kind.toLowerCase())]) * 1000, read(time));
    }
  }
});

test('mixed: the longest responses', () => {
  const [runs] = Object.values(documents.mixed);
  for (const [poolSize, max] of runs) compare(findMixed(Number(poolSize))?.maxMs, read(max));
});

test('all of them were compared', () => {
  expect(compared).toBe(ALL_FIGURES);
});

/** Figures as a page of docs/experiments/ has them. */
const QUOTED = Object.entries({
  mixed: [1, 3, 10].map((poolSize) => {
    const maxMs = Number(findMixed(poolSize)?.maxMs);
    return `pool size ${poolSize}: .*the longest took ${formatNumber(maxMs, maxMs % 1 ? 1 : 0)} ms`;
  }),
  handles: ['one', 'several', 'sprintf', 'patched'].map((handle) => {
    const [few, many] = [128, 256].map((connections) => Number(findHandles(handle, connections)?.ratePerSec));
    return `${formatNumber(few)} at c128, ${formatNumber(many)} at c256 requests per second`;
  }),
  inserts: INSERTS.instances.map(({ instance, cores, ratesPerSec }) => {
    const rates = INSERTS.cases.map((workload) => `${workload} ${formatNumber(ratesPerSec[workload])}`);
    return `${instance}, ${cores} cores?: ${rates.join(', ')} docs/s`;
  }),
  replication: [
    ...REPLICATION.cases.map(({ ratePerSec, cpuPercent, averageRssMB }, index) => {
      const memory = `${formatNumber(averageRssMB)} MB`;
      return `case ${index + 1} .*: ${formatNumber(ratePerSec)} ops/s, CPU ${cpuPercent} %, ${memory}`;
    }),
    ...REPLICATION.ceilings.map(
      ({ threads, single, batched }) =>
        `${threads} threads ${formatNumber(single)} one by one, ${formatNumber(batched)} in batches`,
    ),
  ],
  sessions: RUNS.filter(({ workers, pool }) => workers > 1 || pool === 4096).map(
    ({ workers, queries, pool, primed, ...took }) => {
      const [fixed, clone, copy] = [took.fixed, took.clone, took.copy].map((seconds) => formatNumber(seconds, 1));
      const start = `${formatNumber(workers * queries)} queries of ${workers} workers?, pool ${pool}`;
      return `${start}${primed ? ', primed' : ''}: fixed ${fixed} s, clone ${clone} s, copy ${copy} s`;
    },
  ),
});

const MARKS = ['same', 'told', 'missing'];

describe('the pages of docs/experiments/', () => {
  /** @param {string} name */
  const readPage = (name) => readFileSync(new URL(`../../../docs/experiments/${name}.md`, import.meta.url), 'utf8');

  test.each(QUOTED)('%s has its source and the published figures', (name, quotes) => {
    const page = readPage(name);
    const { title, source } = labs[name];
    expect(page).toContain(`# ${title}\n\nWhat [${source?.title}](${source?.url}) says`);
    for (const { fact, where } of source?.foundElsewhere ?? [])
      expect(page).toContain(`- ${fact} ([source](${where}))`);
    for (const quote of quotes) expect(page).toMatch(new RegExp(`^\\| figures \\| .*${quote}`, 'm'));
  });

  test('the index counts their rows', () => {
    const index = readPage('README');
    const counts = QUOTED.map(([name]) => {
      const marks = [...readPage(name).matchAll(/^\| [a-z]+ \| .+ \| (\w+) \|$/gm)].map(([, mark]) => mark);
      const byMark = MARKS.map((word) => marks.filter((mark) => mark === word).length);
      expect(sum(byMark)).toBe(marks.length);
      const row = [marks.length, ...byMark];
      expect(readPage('README')).toContain(
        `| [${name}](${name}.md) | ${labs[name].source?.title} | ${row.join(' | ')} |`,
      );
      return row;
    });
    const totals = counts[0].map((_, column) => counts.reduce((total, row) => total + row[column], 0));
    expect(index).toContain(`| all |  | ${totals.join(' | ')} |`);
  });
});
