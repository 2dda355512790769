import { formatNumber, formatQuantity } from '../../dashboard/shared/quantity.js';
import { MONITORS } from './fleet.js';

/** @import { Advice } from './advise.js' */
/** @import { FleetFacts } from './fleet.js' */
/** @import { Remedy } from './remedies.js' */

/**
 * An advice in plain words, with the numbers it rests on.
 *
 * @param {Advice} advice
 * @returns {string[]} paragraphs, the verdict first
 */
export function explainAdvice(advice) {
  switch (advice.verdict) {
    case 'notEnoughData': return explainNotEnough(advice);
    case 'nothing': return explainNothing(advice);
    default: return explainSize(advice);
  }
}

/** @param {Advice} advice */
function explainNotEnough({ samples }) {
  const short = samples.filter(({ isEnough }) => !isEnough);
  return [
    'Not enough data.',
    ...short.map(({ slo, count, needed }) => (
      `The load has ${countOf(count, 'request', 'requests')} of ${slo.route}; "${slo.text}" can be told `
      + `from ${needed} on. With fewer, the slowest of them may be below that percentile by chance.`)),
    'Take a longer load, or a goal nearer the middle, such as p95 (59 requests) or p50 (5).',
  ];
}

/** @param {Advice} advice */
function explainNothing({ samples, loads, seeds }) {
  return [
    'No pool size meets it.',
    ...loads.filter(({ smallest }) => smallest === null).flatMap(({ factor, bestMs }) => samples
      .map(({ slo }, index) => ({ slo, ms: bestMs[index] }))
      .filter(({ slo, ms }) => ms >= slo.limitMs)
      .map(({ slo, ms }) => `"${slo.text}": at load x${factor} even a pool without a limit gives `
        + `up to ${formatMs(ms)}${ofRuns(seeds)}.`)),
    'With so many connections nobody waits for one: it is the queries that take so long. Make them faster, or the '
    + 'goal wider.',
  ];
}

/** @param {Advice} advice */
function explainSize(advice) {
  const { verdict, poolSize, loads, rows, seeds, noBenefitAfter, remedies, fleet } = advice;
  const size = Number(poolSize);
  const met = rows.filter((row) => row.poolSize === size);
  const [{ busy, floor }] = loads;
  const headline = `${countConnections(size)} ${size === 1 ? 'is' : 'are'} enough.`;
  return [
    verdict === 'size' ? headline : `${headline} But the servers have no room for so many.`,
    ...met[0].goals.map(({ text }, goal) => {
      const limits = met.map(({ factor, goals }) => `${formatMs(goals[goal].upperMs)} at load x${factor}`);
      return `"${text}": at most ${limits.join(' and ')}${ofRuns(seeds)}.`;
    }),
    `It takes ${countConnections(floor)} to keep up at all: queries keep ${formatNumber(busy, 1)} busy on average. `
    + `Of ${size}, ${met.map(({ factor, utilisation }) => (
      `${Math.round(utilisation * 100)} % are in use at load x${factor}`)).join(' and ')}.`,
    explainSteps(advice),
    noBenefitAfter === null ? '' : `There is no benefit after ${noBenefitAfter}.`,
    ...(fleet ? [explainFleet(fleet, size)] : []),
    remedies.length > 0 ? 'What else would do:' : '',
    ...remedies.map((remedy) => `- ${explainRemedy(remedy, advice)}`),
  ].filter(Boolean);
}

/** @param {Advice} advice */
function explainSteps({ loads, poolSize, rows }) {
  const size = Number(poolSize);
  const smaller = rows.filter((row) => row.poolSize === size - 1 && !row.goals.every(({ isMet }) => isMet));
  const needed = loads.map(({ factor, smallest }) => `${smallest} at load x${factor}`).join(' and ');
  if (smaller.length === 0) return `The smallest that will do: ${needed}.`;
  const [{ factor, goals }] = smaller;
  const missed = goals.filter(({ isMet }) => !isMet).map(({ text, upperMs }) => `"${text}" ${formatMs(upperMs)}`);
  return `The smallest that will do: ${needed}. One fewer gives ${missed.join(', ')} at load x${factor}.`;
}

/** @param {FleetFacts} fleet @param {number} poolSize */
function explainFleet({ instances, servers, total, perServer, serverLimit, largestPool, fits }, poolSize) {
  const sum = `The fleet: ${instances} instances x ${servers} servers x (${poolSize} + ${MONITORS} monitors) = `
    + `${total} connections, ${perServer} at each server`;
  if (fits === null) return `${sum}. The load was taken as that of one instance.`;
  return `${sum}, which takes ${serverLimit}: ${fits ? 'they fit' : 'they do not fit'}. The largest pool that fits `
    + `is ${largestPool}. The load was taken as that of one instance.`;
}

/** @param {Remedy} remedy @param {Advice} advice */
function explainRemedy(remedy, { poolSize, loads }) {
  const { kind, connections, apart, slowRoutes, timeoutMs, slow, goals, failureShare } = remedy;
  const { factor } = loads[loads.length - 1];
  const routes = slowRoutes.join(', ');
  const cost = slow.map(({ route, p95Ms }) => `${route} p95 ${formatMs(p95Ms)}`).join(', ');
  if (kind === 'timeout') {
    const answered = goals.map(({ text, answeredMs }) => `${text.split(' ')[0]} ${formatMs(answeredMs)}`).join(', ');
    return `A wait-queue timeout of ${formatMs(timeoutMs)} with ${countConnections(Number(connections))}: `
      + `${formatPercent(failureShare)} of the requests fail at load x${factor}; 99 of 100 of those answered take at `
      + `most ${answered}.`;
  }
  const name = kind === 'split' ? `A pool of its own (a second client) for ${routes}` : `A cap on ${routes}`;
  if (connections === null) return `${name}: no size of it meets the goal.`;
  const sizes = kind === 'split'
    ? `${apart} for it and ${connections - Number(apart)} for the others, ${connections} in all`
    : `at most ${apart} at a time, in a pool of ${connections}`;
  const gain = connections < Number(poolSize) ? `${Number(poolSize) - connections} fewer` : 'none saved';
  return `${name}: ${sizes} (${gain}); ${cost} at load x${factor}.`;
}

/** @param {number} seeds */
function ofRuns(seeds) {
  return seeds === 1
    ? ' (nothing is left to chance: one run tells)'
    : `, in 95 of 100 runs (95 % confidence, ${seeds} simulated)`;
}

/** @param {number} ms */
function formatMs(ms) {
  return Number.isFinite(ms) ? formatQuantity(ms, 'ms') : 'no answer';
}

/** @param {number} share */
function formatPercent(share) {
  return share === 0 ? 'none' : `${formatNumber(share * 100, share < 0.1 ? 1 : 0)} %`;
}

/** @param {number} count */
function countConnections(count) {
  return countOf(count, 'connection', 'connections');
}

/** @param {number} count @param {string} one @param {string} many */
function countOf(count, one, many) {
  return `${count} ${count === 1 ? one : many}`;
}
