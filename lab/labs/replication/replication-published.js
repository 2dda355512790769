/**
 * Figures of the MongoShake Performance Document, averages of 60 seconds:
 * https://github.com/alibaba/MongoShake/wiki/MongoShake-Performance-Document
 *
 * @typedef {{ ratePerSec: number, cpuPercent: number, averageRssMB: number }} PublishedCase
 */

const GB = 1000;

/** Of cases 1 to 10: operations per second, CPU in percent, memory in MB. @type {[number, number, number][]} */
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
