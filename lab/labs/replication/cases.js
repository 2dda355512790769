/** @import { MergeRule } from 'oplog-replicator' */

/**
 * Figures of the MongoShake Performance Document, averages of 60 seconds:
 * https://github.com/alibaba/MongoShake/wiki/MongoShake-Performance-Document
 *
 * @typedef {{ ratePerSec: number, cpuPercent: number, averageRssMB: number }} PublishedCase
 */

const GB = 1000;

/** Operations per second, CPU in percent and memory in MB of cases 1 to 10. @type {[number, number, number][]} */
const FIGURES = [
  [424_251, 1175, 130],
  [545_117, 694, 43],
  [55_705, 497, 1.9 * GB],
  [186_755, 2256, 1.9 * GB],
  [455_567, 1049, 1.5 * GB],
  [456_990, 1811, 0.74 * GB],
  [63_206, 508, 1.8 * GB],
  [189_140, 1348, 1.3 * GB],
  [279_633, 2096, 1.6 * GB],
  [61_184, 518, 13.8 * GB],
];

export const PUBLISHED = {
  cases: FIGURES.map(([ratePerSec, cpuPercent, averageRssMB]) => ({ ratePerSec, cpuPercent, averageRssMB })),
  cores: 64,
  /** What the target takes by itself, in operations per second, from so many threads: one by one, and batched. */
  ceilings: [
    { threads: 8, single: 70_000, batched: 540_000 },
    { threads: 64, single: 80_000, batched: 610_000 },
  ],
  /** "Less than 1 second" from an insert on the source to the same on the target. */
  latencyBelowMs: 1000,
  foundElsewhere: [
    { fact: 'not before June 2018, when MongoShake was published', where: 'https://github.com/alibaba/MongoShake' },
  ],
};

/**
 * MongoShake itself on 2 cores, which it shared with source and target: operations per second of cases 1 to 10. Version
 * 2.8.4 (commit acbaf60, the newest on its default branch in November 2026), built from source with Go. The data is
 * that of this lab, 1,000,000 operations; the first tenth is the warm-up, writes have `w: 1`, and what a case does not
 * say is as in MongoShake's collector.conf. Medians of two or three rounds.
 */
export const ON_TWO_CORES = {
  version: '2.8.4',
  /** @type {(number | null)[]} */
  ratesPerSec: [281_000, 339_000, 45_200, 10_800, 85_900, 31_300, 6300, 3700, 18_100, null],
};

/**
 * @param {{ published?: object | null, settings: { case?: number } }} variant
 * @returns {number | null} operations per second; null if the variant is not as published
 */
export function findOnTwoCores({ published, settings }) {
  return (published && settings.case && ON_TWO_CORES.ratesPerSec[settings.case - 1]) || null;
}

/**
 * @typedef {object} Shape of the data
 * @property {number} collections
 * @property {number} fields of each document, besides its _id
 *
 * @typedef {object} ReplicatorSettings
 * @property {'direct' | 'mock'} mode direct writes to the target, mock discards every write (a dry run)
 * @property {number} workers
 * @property {'id' | 'collection'} hash how operations are assigned to workers
 * @property {MergeRule} merge which operations of a worker become one write
 *
 * @typedef {Shape & Omit<ReplicatorSettings, 'merge'> & { number: number, shards: number, rttMs?: number,
 *   published: PublishedCase | null }} Case `rttMs`: how much longer a round trip to the target takes
 */

/** What a case has unless it says otherwise: it is case 3. */
const COMMON = /** @type {const} */ ({
  mode: 'direct',
  collections: 5,
  fields: 5,
  workers: 8,
  hash: 'id',
  shards: 1,
});

/** What differs in each case. @type {Partial<Omit<Case, 'number' | 'published'>>[]} */
const DIFFERENCES = [
  { mode: 'mock' },
  { mode: 'mock', fields: 1 },
  {},
  { workers: 64 },
  { collections: 1, fields: 1 },
  { collections: 1, fields: 1, workers: 64 },
  { collections: 128 },
  { collections: 128, workers: 64 },
  { collections: 128, workers: 128, hash: 'collection' },
  { shards: 2 },
  { rttMs: 20 },
];

/**
 * Cases 1 to 10 are those of the MongoShake Performance Document (Go, 64 cores, MongoDB 3.4). Their operations are all
 * inserts, spread evenly over the collections. An oplog entry has about 180 bytes with one field, and 220 with five.
 * Where the document's text and table differ, these are from the text: case 2 has one field, case 9 hashes by
 * collection. Its sharded source had 8 shards, ours has 2. Case 11 is our own: case 3 with a distant target.
 * @type {Case[]}
 */
export const CASES = DIFFERENCES.map((differences, index) => ({
  ...COMMON,
  ...differences,
  number: index + 1,
  published: PUBLISHED.cases[index] ?? null,
}));

const NUMBERS = CASES.map(({ number }) => number);

/**
 * @param {string} text numbers of cases, e.g. `3`, `1,3` or `1..11`
 * @returns {number[]} ascending, without duplicates
 * @throws {Error} that names the wrong part
 */
export function parseCases(text) {
  const found = text.split(',').flatMap((part) => {
    const [, first, last = first] = part.trim().match(/^(\d+)(?:\.\.(\d+))?$/) ?? [];
    const numbers = NUMBERS.filter((number) => number >= Number(first) && number <= Number(last));
    if (!numbers.includes(Number(first)) || !numbers.includes(Number(last))) {
      throw new Error(
        `"${part.trim()}" is not a case from 1 to ${NUMBERS.length}; several look like 1,3 or 1..${NUMBERS.length}.`,
      );
    }
    return numbers;
  });
  return [...new Set(found)].sort((a, b) => a - b);
}

/**
 * Data of inserts that the replicator does not read from the oplog before it starts: single inserts, and those without
 * a replicator. No case has this shape.
 */
export const OTHER_INSERTS = { collections: 1, fields: 5, shards: 1 };

/**
 * The default when the published experiment was made. The replicator loses nothing by it: a checkpoint waits until a
 * majority has the writes that it covers.
 */
export const WRITE_CONCERN = { w: 1 };

/** Documents of an insert where the target is measured without a replicator, in batches. */
export const CEILING_BATCH = 1000;

/** @param {number} threads @param {number} batch documents of an insert */
export function nameCeiling(threads, batch) {
  return `target ${threads} x ${batch}`;
}
