/** @import { Mix } from './mixed-operations.js' */

/**
 * @typedef {object} Shape of the data
 * @property {number} collections
 * @property {number} fields of each document, besides its _id; ignored with a mix, whose documents have 1 KB
 * @property {Mix} [mix] default: only inserts
 * @property {boolean} [hot] whether all updates of the mix change the same document
 *
 * @typedef {object} ReplicatorSettings
 * @property {'direct' | 'mock'} mode direct writes to the target, mock discards every write (a dry run)
 * @property {number} workers
 * @property {'id' | 'collection'} hash how operations are assigned to workers
 * @property {boolean} merge
 *
 * @typedef {Shape & Omit<ReplicatorSettings, 'merge'> & { number: number, shards: number, rttMs?: number,
 *   published: Published | null }} Case `rttMs`: how much longer a round trip to the target takes
 *
 * @typedef {{ ratePerSec: number, cpuPercent: number, peakRssMB: number }} Published
 */

const GB = 1000;

/** @type {Mix} */
const MIX = { inserts: 60, updates: 30, deletes: 10 };

/**
 * Cases 1 to 10 are those of the MongoShake Performance Document (Go, 64 cores, MongoDB 3.4):
 * https://github.com/alibaba/MongoShake/wiki/MongoShake-Performance-Document
 * Their operations are all inserts, spread evenly over the collections. An oplog entry has about 180 bytes with one field, and 220
 * with five. Where the document's text and table differ, these are from the text: case 2 has one field, case 9 hashes by
 * collection. Its sharded source had 8 shards, ours has 2. The others are our own: a mix of operations, then with one hot
 * document, and then with a distance to the target.
 * @type {Case[]}
 */
export const CASES = [
  { number: 1, mode: 'mock', collections: 5, fields: 5, workers: 8, hash: 'id', shards: 1,
    published: { ratePerSec: 424_251, cpuPercent: 1175, peakRssMB: 130 } },
  { number: 2, mode: 'mock', collections: 5, fields: 1, workers: 8, hash: 'id', shards: 1,
    published: { ratePerSec: 545_117, cpuPercent: 694, peakRssMB: 43 } },
  { number: 3, mode: 'direct', collections: 5, fields: 5, workers: 8, hash: 'id', shards: 1,
    published: { ratePerSec: 55_705, cpuPercent: 497, peakRssMB: 1.9 * GB } },
  { number: 4, mode: 'direct', collections: 5, fields: 5, workers: 64, hash: 'id', shards: 1,
    published: { ratePerSec: 186_755, cpuPercent: 2256, peakRssMB: 1.9 * GB } },
  { number: 5, mode: 'direct', collections: 1, fields: 1, workers: 8, hash: 'id', shards: 1,
    published: { ratePerSec: 455_567, cpuPercent: 1049, peakRssMB: 1.5 * GB } },
  { number: 6, mode: 'direct', collections: 1, fields: 1, workers: 64, hash: 'id', shards: 1,
    published: { ratePerSec: 456_990, cpuPercent: 1811, peakRssMB: 0.74 * GB } },
  { number: 7, mode: 'direct', collections: 128, fields: 5, workers: 8, hash: 'id', shards: 1,
    published: { ratePerSec: 63_206, cpuPercent: 508, peakRssMB: 1.8 * GB } },
  { number: 8, mode: 'direct', collections: 128, fields: 5, workers: 64, hash: 'id', shards: 1,
    published: { ratePerSec: 189_140, cpuPercent: 1348, peakRssMB: 1.3 * GB } },
  { number: 9, mode: 'direct', collections: 128, fields: 5, workers: 128, hash: 'collection', shards: 1,
    published: { ratePerSec: 279_633, cpuPercent: 2096, peakRssMB: 1.6 * GB } },
  { number: 10, mode: 'direct', collections: 5, fields: 5, workers: 8, hash: 'id', shards: 2,
    published: { ratePerSec: 61_184, cpuPercent: 518, peakRssMB: 13.8 * GB } },
  { number: 11, mode: 'direct', collections: 5, fields: 5, mix: MIX, workers: 8, hash: 'id', shards: 1, published: null },
  { number: 12, mode: 'direct', collections: 5, fields: 5, mix: MIX, hot: true, workers: 8, hash: 'id', shards: 1,
    published: null },
  { number: 13, mode: 'direct', collections: 5, fields: 5, mix: MIX, workers: 8, hash: 'id', shards: 1, rttMs: 20,
    published: null },
];

const NUMBERS = CASES.map(({ number }) => number);

/**
 * @param {string} text numbers of cases, e.g. `3`, `1,3` or `1..13`
 * @returns {number[]} ascending, without duplicates
 * @throws {Error} that names the wrong part
 */
export function parseCases(text) {
  const found = text.split(',').flatMap((part) => {
    const [, first, last = first] = part.trim().match(/^(\d+)(?:\.\.(\d+))?$/) ?? [];
    const numbers = NUMBERS.filter((number) => number >= Number(first) && number <= Number(last));
    if (!numbers.includes(Number(first)) || !numbers.includes(Number(last))) {
      throw new Error(`"${part.trim()}" is not a case from 1 to ${NUMBERS.length}; several look like 1,3 or 1..${NUMBERS.length}.`);
    }
    return numbers;
  });
  return [...new Set(found)].sort((a, b) => a - b);
}
