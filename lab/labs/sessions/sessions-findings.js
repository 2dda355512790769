import { formatNumber } from 'mongodb-pool-page/universal/quantity.js';
import { addReason, compareRates, rateOf, ratioOf, SAME } from '../../report/findings.js';

/** @import { Finding, Result } from '../../report/result-types.js' */
/** @import { SessionSettings } from './plan-sessions.js' */
/** @import { MeasuredWay, SessionFigures } from './sessions-view.js' */

/** A thread that is busy for this share of the time has hardly any left. */
const FULL = 0.9;

/**
 * Whether the one thread of Node that runs the client was the limit, or the lack of a core for it.
 * @param {MeasuredWay} variant
 * @returns {string | undefined} a sentence; undefined if the thread had time left
 */
export function describeThread(variant) {
  const { threadBusy = 0, cpuShare = 0 } = variant.measured ?? {};
  if (threadBusy < FULL) return undefined;
  const rate = `${formatNumber(rateOf(variant))} queries per second`;
  if (cpuShare >= FULL)
    return `Node's one thread is full, busy ${Math.round(threadBusy * 100)} % of the time, at ${rate}.`;
  return (
    `Node's one thread got ${Math.round(cpuShare * 100)} % of a core, because the servers and other programs used ` +
    `the cores, and was busy all the time at ${rate}.`
  );
}

/**
 * The findings of the article, as ratios of queries per second: with one worker all ways are alike; with more, a pool
 * beats one connection, and a large pool beats a small one. That a clone behaves as its parent makes it is no ratio: it
 * is the same code.
 * @param {Result<SessionSettings, SessionFigures>} result
 * @returns {Finding[]}
 */
export function findSessionFindings({ variants }) {
  const shared = variants.filter(({ settings }) => settings.poolSize !== null);
  const counts = [...new Set(shared.map(({ settings }) => settings.workers))];
  return counts.flatMap((workers) => {
    const among = shared.filter(({ settings }) => settings.workers === workers);
    return workers === 1 ? compareAll(among) : [...comparePairs(among), ...among.flatMap(compareWaits)];
  });
}

/** @param {MeasuredWay[]} variants @returns {Finding[]} */
function compareAll(variants) {
  if (variants.length < 2) return [];
  const [measured, published] = /** @type {const} */ (['measured', 'published']).map((kind) => {
    const rates = variants.flatMap((variant) => variant[kind]?.ratePerSec ?? []);
    return rates.length > 1 ? Math.min(...rates) / Math.max(...rates) : null;
  });
  return [addReason({ claim: '1 worker: the slowest way / the fastest', measured, published })];
}

/** @param {MeasuredWay[]} variants of the same number of workers @returns {Finding[]} */
function comparePairs(variants) {
  const [fixed, copies] = ['fixed', 'copy'].map((way) => variants.filter(({ settings }) => settings.strategy === way));
  const pairs = [
    ...copies.flatMap((copy) => fixed.map((one) => [copy, one])),
    ...copies.slice(1).map((copy, index) => [copy, copies[index]]),
  ];
  return pairs.map(([one, other]) => {
    const claim = `${one.settings.workers} workers: ${nameWay(one)} / ${nameWay(other)}`;
    return addReason(compareRates(claim, one, other), {
      less: () => describeThread(one) ?? describeOtherLimit(one),
      more: () => [...describeOneConnection(other), ...describeStarts(one, other)].join(' '),
    });
  });
}

/**
 * How many queries waited. The driver serves them in order, so with more workers than connections every query waits.
 * mgo wakes all that wait, and whoever locks the pool first takes the socket:
 * https://github.com/globalsign/mgo/blob/eeefdecb41b8/server.go#L165
 * @param {MeasuredWay} variant
 * @returns {Finding[]}
 */
function compareWaits({ settings, measured, published }) {
  const { workers } = settings;
  const { share, waitingAtOnce } = published?.waits ?? {};
  if (!waitingAtOnce || !measured?.totalWaitMs) return [];
  const atOnce = formatNumber(measured.totalWaitMs / measured.tookMs);
  const claim = `${workers} workers, copy ${settings.poolSize}: queries that waited / all`;
  const finding = { claim, measured: ratioOf(measured.timesWaited, measured.count), published: share };
  const more = () =>
    `Of ${workers} workers ${atOnce} waited at once, and ${formatNumber(waitingAtOnce)} there. The driver gives a ` +
    'free connection to the one that waits longest. mgo wakes all, and the first to lock the pool takes the ' +
    'socket: often a worker that has just given one back, and did not wait.';
  return [addReason(finding, { more })];
}

/** @param {MeasuredWay} variant */
function nameWay({ settings: { strategy, poolSize } }) {
  return strategy === 'fixed' ? strategy : `${strategy} ${poolSize}`;
}

/** @param {MeasuredWay} variant @returns {string[]} a sentence, if one connection is slower than there */
function describeOneConnection(variant) {
  const there = variant.published?.ratePerSec ?? 0;
  if (variant.settings.strategy !== 'fixed' || rateOf(variant) * SAME > there) return [];
  return [
    `One connection answers one query after the other here, ${formatNumber(rateOf(variant))} per second. mgo sends ` +
      `the next one before the last is answered: ${formatNumber(there)} per second.`,
  ];
}

/** @param {MeasuredWay} variant whose thread had time left */
function describeOtherLimit({ measured }) {
  const [busy, cpu] = [measured?.threadBusy, measured?.cpuShare].map((share) => Math.round((share ?? 0) * 100));
  return (
    `Here Node's one thread was busy for ${busy} % of the time, with ${cpu} % of a core, so the limit was the server ` +
    'or other programs on this machine.'
  );
}

/**
 * The published time includes the start of the workers.
 * @param {MeasuredWay} one
 * @param {MeasuredWay} other
 * @returns {string[]} a sentence, if that matters
 */
function describeStarts({ published: one }, { published: other }) {
  const [ours, others] = [one, other].map((published) => ({ count: 0, tookMs: 0, startsMs: 0, ...published }));
  const withStarts = ours.count / ours.tookMs / (others.count / others.tookMs);
  const ratio = ours.count / (ours.tookMs - ours.startsMs) / (others.count / (others.tookMs - others.startsMs));
  if (ratio < SAME * withStarts) return [];
  const seconds = formatNumber(ours.startsMs / 1000, 1);
  return [
    `Without the ${seconds} s in which the workers start, the published ratio is at most ${formatNumber(ratio, 2)}.`,
  ];
}
