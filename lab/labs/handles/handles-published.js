/**
 * Measured with wrk for 10 s, by its number of connections: the better of two runs, from
 * https://gist.github.com/methane/1341a204256e5dab52ac
 */
const FIGURES = new Map(
  Object.entries({
    'one 128': { ratePerSec: 68334.78, avgMs: 1.87, stdevMs: 1.62, maxMs: 15.02 },
    'one 256': { ratePerSec: 69599.49, avgMs: 3.66, stdevMs: 3.42, maxMs: 37.08 },
    'several 128': { ratePerSec: 159898.21, avgMs: 0.79394, stdevMs: 0.77168, maxMs: 12.34 },
    'several 256': { ratePerSec: 57539.94, avgMs: 4.65, stdevMs: 5.64, maxMs: 51.7 },
    'sprintf 128': { ratePerSec: 162323.89, avgMs: 0.76927, stdevMs: 0.66782, maxMs: 9.48 },
    'sprintf 256': { ratePerSec: 70596.93, avgMs: 3.8, stdevMs: 4.64, maxMs: 45.44 },
    'patched 128': { ratePerSec: 140620.06, avgMs: 0.89, stdevMs: 0.70955, maxMs: 10.17 },
    'patched 256': { ratePerSec: 85945.47, avgMs: 3.38, stdevMs: 4.3, maxMs: 48.41 },
  }),
);

export const PUBLISHED = {
  connections: [128, 256],
  durationMs: 10_000,
  /** The document limits no handle. With so many, no request waits for a connection of its client. */
  poolSize: 1024,
  /** What has no counterpart here: queries without prepared statements, and a driver with one lock less. */
  handles: ['sprintf', 'patched'],
  foundElsewhere: [
    { fact: 'a c3.8xlarge has 32 vCPUs', where: 'https://aws.amazon.com/ec2/previous-generation/' },
    { fact: 'measured around New Year 2015', where: 'https://github.com/golang/go/issues/9484' },
  ],
};

/** @param {string} handle @param {number} connections @returns {{ ratePerSec: number } | null} */
export function findPublished(handle, connections) {
  return FIGURES.get(`${handle} ${connections}`) ?? null;
}
