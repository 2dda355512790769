import { formatNumber } from 'mongodb-pool-page/universal/quantity.js';
import { compareRates, rateOf } from '../../report/findings.js';

/** @import { Finding, Result } from '../../report/result-types.js' */
/** @import { SessionSettings } from './plan-sessions.js' */
/** @import { MeasuredWay, SessionFigures } from './sessions-view.js' */

/** A thread that is busy for this share of the time has hardly any left. */
const FULL = 0.9;
/** Ratios that differ by less are the same. */
const SAME = 1.1;

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
    `Node's one thread got ${Math.round(cpuShare * 100)} % of a core, because others used the cores, and was ` +
    `busy all the time at ${rate}.`
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
    return workers === 1 ? compareAll(among) : comparePairs(among);
  });
}

/** @param {MeasuredWay[]} variants @returns {Finding[]} */
function compareAll(variants) {
  if (variants.length < 2) return [];
  const [measured, published] = /** @type {const} */ (['measured', 'published']).map((kind) => {
    const rates = variants.flatMap((variant) => variant[kind]?.ratePerSec ?? []);
    return rates.length > 1 ? Math.min(...rates) / Math.max(...rates) : null;
  });
  const reason = 'One worker needs one connection, whoever holds it.';
  return [{ claim: '1 worker: the slowest way / the fastest', measured, published, reason }];
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
    const finding = compareRates(claim, one, other);
    return { ...finding, reason: explain(finding, one, other) };
  });
}

/** @param {MeasuredWay} variant */
function nameWay({ settings: { strategy, poolSize } }) {
  return strategy === 'fixed' ? strategy : `${strategy} ${poolSize}`;
}

/**
 * Why the ratio is not the published one, from what was measured.
 * @param {Finding} finding
 * @param {MeasuredWay} one
 * @param {MeasuredWay} other
 */
function explain({ measured, published }, one, other) {
  if (!measured || !published) return undefined;
  const ratio = Math.max(measured / published, published / measured);
  const there = other.published?.ratePerSec ?? 0;
  const isSlower = other.settings.strategy === 'fixed' && rateOf(other) * SAME < there;
  const thread = describeThread(one);
  return [
    ratio < SAME && 'About the same.',
    isSlower &&
      `One connection answers one query after the other here, ${formatNumber(rateOf(other))} per second. mgo sends ` +
        `the next one before the last is answered: ${formatNumber(there)} per second.`,
    thread ?? (ratio >= SAME && !isSlower && describeOtherLimit(one)),
    describeStarts(one, other),
  ]
    .filter(Boolean)
    .join(' ');
}

/** @param {MeasuredWay} variant whose thread had time left */
function describeOtherLimit({ measured }) {
  const [busy, cpu] = [measured?.threadBusy, measured?.cpuShare].map((share) => Math.round((share ?? 0) * 100));
  return (
    `Here Node's one thread was busy for ${busy} % of the time, with ${cpu} % of a core, so the limit was the server ` +
    'or other programs on this machine.'
  );
}

/** The published time includes the start of the workers. @param {MeasuredWay} one @param {MeasuredWay} other */
function describeStarts({ published: one }, { published: other }) {
  const [ours, others] = [one, other].map((published) => ({ count: 0, tookMs: 0, startsMs: 0, ...published }));
  const ratio = ours.count / (ours.tookMs - ours.startsMs) / (others.count / (others.tookMs - others.startsMs));
  const seconds = formatNumber(ours.startsMs / 1000, 1);
  return (
    `Without the ${seconds} s in which the workers start, the published ratio is at most ` +
    `${formatNumber(ratio, 2)}.`
  );
}
