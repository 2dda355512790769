// Published rules for the size of a connection pool, as data. Each says where it is published, what it says and where
// it does not hold, in our words, and the size that it gives.
import { DEFAULTS } from './loads.js';

/** @import { LoadUse } from './load-use.js' */

/**
 * @typedef {object} RunningPool what a pool of a size does under the load
 * @property {number} utilisation share of its connections in use, on average
 * @property {number} meanWaitMs of an operation for a connection
 *
 * @typedef {object} Rule
 * @property {string} name
 * @property {string} url source
 * @property {string} says
 * @property {string} limits
 * @property {(use: LoadUse, runWith: (size: number) => RunningPool) => number | null} sizeOf null where the rule does
 *   not apply, by its own limits
 */

const SKILL = 'https://raw.githubusercontent.com/mongodb/agent-skills/main/skills/mongodb-connection';
/** Where times differ by more than their mean, durations vary. */
const VARIED = 1;
/** A rule that watches a running pool is asked again after each change, but not for ever. */
const [QUARTER, MAX_STEPS] = [1.25, 30];
/** P(wait) of Erlang C: goals here are about 95 of 100 requests. */
const MAX_WAIT_SHARE = 0.05;
/** Mean wait of Allen-Cunneen, as a share of the mean use: the goal here leaves as much. */
const MAX_MEAN_WAIT = 0.1;

/** @type {Rule[]} */
export const RULES = [
  {
    name: 'operations x duration',
    url: 'https://www.michal-drozd.com/en/blog/connection-pool-littles-law/',
    says: "requests a second times the mean duration of a query, which is Little's law",
    limits: 'none for the average; it is a mean, not a peak',
    sizeOf: ({ meanInUse }) => atLeastOne(meanInUse),
  },
  {
    name: 'operations x duration + 20 %',
    url: `${SKILL}/SKILL.md`,
    says: 'the same, with a buffer of 20 %, wherever an average is known',
    limits: 'given without limits, although the source has one (next row)',
    sizeOf: ({ meanInUse }) => atLeastOne(meanInUse * 1.2),
  },
  {
    name: 'operations x duration + 15 % if even',
    url: `${SKILL}/SKILL.md`,
    says: 'operations a second times the mean duration, with 10 to 20 % more (15 % here)',
    limits: 'not for durations that vary, or traffic that is hard to foresee',
    sizeOf: (use) => (isVaried(use) ? null : atLeastOne(use.meanInUse * 1.15)),
  },
  {
    name: 'start with 10 to 20',
    url: `${SKILL}/SKILL.md`,
    says: 'where durations vary, begin with 10 to 20 (15 here) and watch',
    limits: 'only where durations vary; a beginning, not an end',
    sizeOf: (use) => (isVaried(use) ? 15 : null),
  },
  {
    name: 'operations x duration x 2',
    url: 'https://visheshrawal.in/backend-guide/bsps/01-mathematics-for-systems/04-queueing-theory',
    says: "Little's law, doubled for bursts",
    limits: 'none given',
    sizeOf: ({ meanInUse }) => atLeastOne(meanInUse * 2),
  },
  {
    name: 'operations x p95 / 0.8 + 20 %',
    url: 'https://www.calcsimpler.com/calculators/database-connection-pool-sizer',
    says: 'the highest rate that lasts times the p95 of a query, at 80 % use, with 20 % more',
    limits: 'to be confirmed by a load test',
    sizeOf: ({ ratePerSec, p95UseMs }) => atLeastOne(((ratePerSec * p95UseMs) / 1000 / 0.8) * 1.2),
  },
  {
    name: 'peak at once + 25 %',
    url: `${SKILL}/SKILL.md`,
    says: 'the most operations observed at once, with a quarter more for bursts',
    limits: 'for a peak that was observed',
    sizeOf: ({ peakAtOnce }) => atLeastOne(peakAtOnce * QUARTER),
  },
  {
    name: 'one for each request at once',
    url: 'https://examples.vercel.com/blog/the-real-serverless-compute-to-database-connection-problem-solved',
    says: 'as many as there are requests at once, on servers and in functions alike',
    limits: 'says how many are needed at once, and not how few would do with a short wait',
    sizeOf: ({ peakAtOnce }) => peakAtOnce,
  },
  {
    name: 'cores x 2 + spindles',
    url: 'https://github.com/brettwooldridge/HikariCP/wiki/About-Pool-Sizing',
    says: "twice the server's cores and its effective spindles; let the others queue",
    limits: 'a start for load tests; mixed long and short work wants two pools; unproven for SSDs',
    sizeOf: ({ cores }) => cores * 2 + DEFAULTS.spindles,
  },
  {
    name: 'one per core',
    url: 'https://www.cruxible.dev/learn/db11-connection-pool-sizing',
    says: 'near the number of cores and effective spindles (none here: the data is in memory)',
    limits: 'a first estimate, to be tuned by load tests',
    sizeOf: ({ cores }) => cores,
  },
  {
    name: 'default of 100',
    url: 'https://www.mongodb.com/docs/drivers/node/current/connect/connection-options/connection-pools.md',
    says: 'the driver opens up to 100 connections, as it needs them',
    limits: 'a default; the agent skill keeps it unless there is a reason',
    sizeOf: () => 100,
  },
  {
    name: 'maximum / members - 1',
    url: 'https://nodeer.space/questions/advice-on-optimal-poolsize-for-mongodb-and-mongoose-usage',
    says: 'what the cluster accepts, divided by its members, minus one for monitoring; shared among the apps',
    limits: 'where memory and CPU are no concern',
    sizeOf: () => Math.floor(DEFAULTS.serverLimit / DEFAULTS.members) - 1,
  },
  {
    name: 'serverless: 3 to 5',
    url: `${SKILL}/SKILL.md`,
    says: '3 to 5 (4 here) for each instance of a function',
    limits: 'for functions, where each instance has a pool; here one instance gets the whole load',
    sizeOf: () => 4,
  },
  {
    name: 'serverless: 1',
    url: 'https://agentskb.com/kb/prisma',
    says: 'begin with 1 for each instance of a function, and tune',
    limits: 'for functions and relational databases; here one instance gets the whole load',
    sizeOf: () => 1,
  },
  {
    name: 'pool of 5 of a public app',
    url: 'https://github.com/techstartucalgary/Networking-Icebreakers/pull/88',
    says: 'an app on Vercel sets 5 to end its timeouts',
    limits: "it is that app's choice, and no advice; people copy it",
    sizeOf: () => 5,
  },
  {
    name: 'Erlang C',
    url: 'https://octave.sourceforge.io/queueing/function/erlangc.html',
    says: 'the fewest with which an arrival waits with a probability of at most 5 %',
    limits: 'random arrivals, exponential durations, an endless load',
    sizeOf: ({ meanInUse }) => findFewest(meanInUse, (size) => waitShare(size, meanInUse) <= MAX_WAIT_SHARE),
  },
  {
    name: 'Allen-Cunneen',
    url: 'https://a-herzog.github.io/Warteschlangensimulator/Warteschlangensimulator-Glossary-en.pdf',
    says: 'the fewest with a mean wait of at most 10 % of the mean duration, from how much gaps and durations vary',
    limits: 'an approximation from means and variations; an endless load',
    sizeOf({ meanInUse, variationOfGaps, variationOfUse }) {
      const variation = (variationOfGaps ** 2 + variationOfUse ** 2) / 2;
      return findFewest(
        meanInUse,
        (size) => (waitShare(size, meanInUse) / (size - meanInUse)) * variation <= MAX_MEAN_WAIT,
      );
    },
  },
  {
    name: 'over 80 % used: a quarter more',
    url: `${SKILL}/references/monitoring-guide.md`,
    says: 'while more than 80 % of a running pool are used, take 20 to 30 % more (25 % here)',
    limits: 'for a use that lasts; says nothing of a pool that is too large',
    sizeOf: ({ recordedSize }, runWith) => raiseWhile(recordedSize, (size) => runWith(size).utilisation > 0.8),
  },
  {
    name: 'wait over 50 ms: act',
    url: `${SKILL}/references/monitoring-guide.md`,
    says: 'while operations wait for more than 50 ms, look at the size (a quarter more here, as above)',
    limits: 'for a wait that lasts; names no step',
    sizeOf: ({ recordedSize }, runWith) => raiseWhile(recordedSize, (size) => runWith(size).meanWaitMs > 50),
  },
  {
    name: "MongoDB's tuning page",
    url: 'https://www.mongodb.com/docs/manual/tutorial/connection-pool-performance-tuning/',
    says: 'raise it where operations are held up and the server is idle; lower it where the CPU is busy (by a quarter)',
    limits: 'says which way, not how far; here, busy is over 80 %, and held up is a wait longer than the use',
    sizeOf: ({ recordedSize, busyShare, meanUseMs }, runWith) =>
      busyShare > 0.8
        ? atLeastOne(Math.floor(recordedSize / QUARTER))
        : raiseWhile(recordedSize, (size) => runWith(size).meanWaitMs > meanUseMs),
  },
];

/** @param {LoadUse} use */
function isVaried({ variationOfUse }) {
  return variationOfUse > VARIED;
}

/** @param {number} connections */
function atLeastOne(connections) {
  return Math.max(1, Math.ceil(connections - 1e-9));
}

/** @param {number} meanInUse @param {(size: number) => boolean} isEnough asked of sizes above the mean */
function findFewest(meanInUse, isEnough) {
  let size = Math.floor(meanInUse) + 1;
  while (!isEnough(size)) size++;
  return size;
}

/**
 * Raises a running pool by a quarter, until a rule is content.
 * @param {number} size
 * @param {(size: number) => boolean} isShort
 */
function raiseWhile(size, isShort) {
  let raised = size;
  for (let step = 0; step < MAX_STEPS && isShort(raised); step++) raised = Math.ceil(raised * QUARTER);
  return raised;
}

/**
 * The probability that an arrival waits, Erlang C: https://octave.sourceforge.io/queueing/function/erlangc.html. It is
 * calculated from Erlang B, by the recursion over the number of connections.
 *
 * @param {number} size above the load
 * @param {number} load connections in use on average
 */
export function waitShare(size, load) {
  let blocked = 1;
  for (let n = 1; n <= size; n++) blocked = (load * blocked) / (n + load * blocked);
  return blocked / (1 - (load / size) * (1 - blocked));
}
