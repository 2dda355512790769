import {
  countConnections,
  countOf,
  formatNumber,
  formatQuantity,
  formatTenths,
} from 'mongodb-pool-page/universal/quantity.js';
import { describeAdvice } from 'mongodb-pool-page/universal/size-words.js';
import { explainFullServer, explainRange } from './explain-saturation.js';

/** @import { Advice, FleetFacts, ResponseParts, Remedy, Slo } from 'mongodb-pool-predictor' */

/**
 * @param {Advice} advice
 * @param {object} options
 * @param {string} options.load that the advice is for, such as "the recorded load"
 * @param {boolean} [options.isBrief] without what the load uses, and what other sizes do
 * @returns {string[]} paragraphs, the verdict first
 */
export function explainAdvice(advice, { load, isBrief = false }) {
  if (advice.verdict === 'notEnoughData') return explainNotEnough(advice);
  if (advice.verdict === 'belowNoise') return explainNoise(advice);
  return advice.verdict === 'nothing' ? explainNothing(advice, load) : explainSize(advice, load, isBrief);
}

/** @param {Advice} advice */
function explainNotEnough({ samples }) {
  return [
    'Not enough data.',
    ...samples
      .filter(({ isEnough }) => !isEnough)
      .map(({ slo, count, needed, easier }) => {
        const has =
          count === 0
            ? `Some runs of the load have no request to ${slo.route}`
            : `The load has ${countOf(count, 'request', 'requests')} to ${slo.route}`;
        return (
          `${has}, but "${slo.text}" needs at least ${needed}: with fewer samples that percentile can't be ` +
          'estimated. Use a longer load' +
          `${easier.length > 0 ? `, or an easier goal: ${easier.join(' or ')}` : ''}.`
        );
      }),
  ];
}

/** @param {Advice} advice */
function explainNoise({ samples, noise, seeds }) {
  return [
    `No verdict: ${samples.length === 1 ? 'the goal' : 'a goal'} is below the noise.`,
    ...(noise ?? [])
      .map((each, goal) => ({ ...each, slo: samples[goal].slo }))
      .filter(({ isBelow }) => isBelow)
      .map(({ slo, bestMs, noiseMs }) => {
        const best = formatAgainst(Math.ceil(bestMs) < slo.limitMs ? Math.ceil(bestMs) : bestMs, slo.limitMs);
        return (
          `"${slo.text}": with no wait for a connection, the query alone takes up to ${best}${ofRuns(seeds)}. The ` +
          `rest of a response takes up to ${formatMs(noiseMs)}, even in an idle app. A goal of ` +
          `${formatNumber(Math.ceil(bestMs + noiseMs))} ms or more gets a verdict.`
        );
      }),
  ];
}

/**
 * The sizes that meet the goals; one is known.
 * @param {Advice} advice
 * @param {string} load
 */
function nameSizes({ poolSize, sizeNow, samples, loads, seeds, fleet }, load) {
  return describeAdvice({
    ...{ poolSize, sizeNow, load, isRandom: seeds > 1, instances: fleet?.instances ?? 1 },
    goals: samples.map(({ slo }) => slo.text),
    headroom: Math.max(...loads.map(({ factor }) => factor)),
  });
}

/** @param {Advice} advice @param {string} load */
function explainNothing(advice, load) {
  const { samples, loads, seeds, parts, saturation, fewest, sizeNow } = advice;
  const missed = loads.flatMap(({ factor, reading, best }) =>
    samples
      .map(({ slo }, goal) => ({ slo, factor, reading, ...best, ...best?.goals[goal], part: parts?.[goal] }))
      .filter(({ isMet }) => isMet === false),
  );
  const likely = missed.filter(({ reading }) => reading === 0);
  const shown = likely.length > 0 ? likely : missed;
  const isUnsure = shown.length > 0 && shown.every(({ slo, medianMs }) => Number(medianMs) < slo.limitMs);
  const goals = samples.length === 1 ? 'the goal' : 'all goals';
  const headline =
    sizeNow === null
      ? `No pool size ${isUnsure ? 'is sure to meet' : 'meets'} ${goals} at ${load}.`
      : nameSizes(advice, load);
  if (shown.length === 0)
    return [
      headline,
      `Every size misses ${goals}. Requests wait until connections are opened, or while the driver has no server, ` +
        'and more connections do not shorten that.',
    ];
  return [
    headline,
    ...shown.map(({ slo, factor, poolSize, runs = seeds, upperMs = NaN, medianMs = NaN }) => {
      const size = poolSize ? `with ${countConnections(poolSize)}` : 'without a limit on connections';
      const half = medianMs < slo.limitMs ? `half of the runs have ${formatAgainst(medianMs, slo.limitMs)}, but ` : '';
      const most = Number.isFinite(upperMs)
        ? `it is up to ${formatAgainst(upperMs, slo.limitMs)}`
        : 'too many requests fail';
      const of = runs < seeds ? ` in ${runs} runs` : ofRuns(seeds);
      return `"${slo.text}": at load x${factor}, even ${size}, ${half}${most}${of}.`;
    }),
    ...new Set(
      shown.map(({ slo, part }) =>
        part
          ? explainParts(slo, part)
          : saturation
            ? ''
            : 'Without a limit no request waits for a connection: the queries themselves take too long. Make them ' +
              'faster, or relax the goal.',
      ),
    ),
    likely.length === 0 ? `That is so if ${describeFewest(fewest)}.` : '',
    ...(saturation ? explainFullServer(saturation) : []),
  ].filter(Boolean);
}

/** The other reading of a recording. @param {number | null} fewest callers; null: that of work outside of requests */
function describeFewest(fewest) {
  if (fewest === null) return 'work outside of requests is a loop, with each query after the answer to its last';
  return (
    `as few as ${countOf(fewest, 'caller', 'callers')} sent all recorded requests, each after the answer to ` +
    'its last (--callers N says how many did)'
  );
}

/**
 * Which part of a response misses a goal where nobody would wait.
 * @param {Slo} slo
 * @param {ResponseParts} parts
 * @returns {string} empty if the parts are not to blame
 */
function explainParts({ text, route, limitMs }, { serviceMs, overheadMs, places }) {
  if (serviceMs + overheadMs < limitMs)
    return places === null
      ? ''
      : `"${text}": the app lets in ${places} at once. The others wait for that, and no pool changes it.`;
  const [isSlowQuery, isSlowRest] = [serviceMs >= limitMs, overheadMs >= limitMs];
  const cause =
    isSlowQuery && isSlowRest
      ? 'Each alone is too slow, and no pool changes that.'
      : isSlowQuery
        ? 'The query alone is too slow: make it faster, or relax the goal.'
        : isSlowRest
          ? 'That rest alone is too slow, and no pool changes it: look at the app, its machine and the network.'
          : 'Together they are too slow, and no pool changes that: make either faster, or relax the goal.';
  return (
    `"${text}": without a limit, nobody would wait for a connection. The query of ${route} takes up to ` +
    `${formatAgainst(serviceMs, limitMs)}, the rest of the response up to ` +
    `${formatAgainst(overheadMs, limitMs)}. ${cause}`
  );
}

/** @param {Advice} advice @param {string} load @param {boolean} isBrief */
function explainSize(advice, load, isBrief) {
  const { verdict, poolSize, rows, seeds, samples, remedies, fleet, saturation } = advice;
  const size = Number(poolSize);
  return [
    `${nameSizes(advice, load)}${verdict === 'size' ? '' : ' But the servers do not accept that many.'}`,
    ...(saturation ? explainRange(saturation, size) : []),
    ...samples.map(({ slo }, goal) => {
      const limits = rows.map(
        ({ factor, goals }) => `${formatAgainst(goals[goal].upperMs, slo.limitMs)} at load x${factor}`,
      );
      return `"${slo.text}": at most ${limits.join(' and ')}${ofRuns(seeds)}.`;
    }),
    explainSmaller(advice),
    ...rows
      .filter(({ failureShare }) => failureShare > 0)
      .map(({ factor, failureShare }) => `${formatPercent(failureShare)} of all requests fail at load x${factor}.`),
    ...(isBrief
      ? []
      : [
          `${explainUse(advice)} With ${size}, ${rows
            .map(({ factor, utilisation }) => `${Math.round(utilisation * 100)} % at load x${factor}`)
            .join(' and ')} are in use on average.`,
        ]),
    ...(fleet ? [explainFleet(fleet, size)] : []),
    ...remedies.map((remedy) => explainRemedy(remedy, advice)),
    fleet?.fits === false && remedies.length === 0 && size > 1 ? 'No alternative fits, either.' : '',
    explainRule(advice),
  ].filter(Boolean);
}

/** What a rule of thumb would have given, and what that would cost. @param {Advice} advice */
function explainRule({ rule, poolSize, rows, samples }) {
  if (!rule) return '';
  const size = Number(poolSize);
  const gives = `The common rule, operations a second x mean duration + 20 %, gives ${rule.poolSize}`;
  if (rule.poolSize === size) return `${gives}, too.`;
  if (rule.poolSize > size) return `${gives}: ${rule.poolSize - size} more than the goals need.`;
  const [{ slo, ms, goal }] = samples
    .map(({ slo }, goal) => ({ slo, goal, ms: rule.goals[goal].upperMs }))
    .sort((a, b) => b.ms / b.slo.limitMs - a.ms / a.slo.limitMs);
  const advisedMs = rows[0].goals[goal].upperMs;
  const most = ms < slo.limitMs ? 'is at most' : 'takes up to';
  const what = Number.isFinite(ms)
    ? `${most} ${formatAgainst(ms, slo.limitMs)}, instead of ${formatAgainst(advisedMs, slo.limitMs)}`
    : 'is missed because requests fail';
  return `${gives}. With ${rule.poolSize}, "${slo.text}" ${what}, at load x1.`;
}

/** @param {Advice} advice */
function explainUse({ loads, poolSize }) {
  const likely = loads.filter(({ reading }) => reading === 0);
  const uses = likely
    .map(
      ({ factor, meanActive, peakActive }) =>
        `at load x${factor} ${formatTenths(meanActive)} on average and up to ${peakActive} at once`,
    )
    .join(', ');
  const { factor, floor } = likely[likely.length - 1];
  const sentence = `Connections in use without a limit: ${uses}.`;
  if (floor === 1) return sentence;
  return `${sentence} With fewer than ${floor}, requests pile up until load x${factor} ends${
    Number(poolSize) < floor
      ? `: ${poolSize} are enough only because it ends. For a load that goes on, take at least ${floor}`
      : ''
  }.`;
}

/** Why one connection less is not enough. @param {Advice} advice */
function explainSmaller({ smaller, samples, fewest }) {
  if (!smaller) return '';
  const { poolSize, factor, reading, text, ms } = smaller;
  const { limitMs } = /** @type {Advice['samples'][number]} */ (samples.find(({ slo }) => slo.text === text)).slo;
  const takes = Number.isFinite(ms) ? `takes up to ${formatAgainst(ms, limitMs)}` : 'is missed because requests fail';
  const who = reading > 0 ? ` if ${describeFewest(fewest)}` : '';
  return `With ${poolSize}, "${text}" ${takes} at load x${factor}${who}.`;
}

/** @param {FleetFacts} fleet @param {number} poolSize */
function explainFleet({ instances, servers, monitors, total, perServer, serverLimit, largestPool, fits }, poolSize) {
  const sum =
    `The fleet: ${countOf(instances, 'instance', 'instances')} x ${countOf(servers, 'server', 'servers')} x ` +
    `(${poolSize} + ${monitors} monitors) = ${total} connections, ${perServer} at each server`;
  const one = `The load is that of one instance.${
    servers > 1 ? " A server that gets no queries has only the monitors, and each instance's minPoolSize." : ''
  }`;
  if (fits === null) return `${sum}. ${one}`;
  return `${sum}, which accepts ${serverLimit}: ${fits ? 'they fit' : 'they do not fit'}. ${
    largestPool === 0 ? 'No pool fits' : `The largest pool that fits is ${largestPool}`
  }. ${one}`;
}

/** @param {Remedy} remedy @param {Advice} advice */
function explainRemedy({ connections, slowSize, slowRoutes, slow }, { poolSize, loads, fleet }) {
  const pool = `a separate pool (a second client) for ${slowRoutes.join(', ')}`;
  if (connections === null) return `With ${pool}, no size meets the goals.`;
  const cost = slow.map(({ route, p95Ms }) => `${route} p95 ${formatMs(p95Ms)}`).join(', ');
  return (
    `Alternative${typeof fleet?.serverLimit === 'number' ? ' that fits' : ''}: ${pool}, with ${slowSize} for it and ` +
    `${connections - Number(slowSize)} for the others, ${connections} in total ` +
    `(${compareSizes(connections, Number(poolSize))}); ${cost} at load x${loads[loads.length - 1].factor}.`
  );
}

/** @param {number} size @param {number} advised */
function compareSizes(size, advised) {
  if (size === advised) return 'none saved';
  return size < advised ? `${advised - size} fewer` : `${size - advised} more`;
}

/** @param {number} seeds */
function ofRuns(seeds) {
  return seeds === 1
    ? ' (the load is not random: one run is exact)'
    : `, in 95 of 100 runs (95 % confidence, ${seeds} simulated)`;
}

/** @param {number} ms */
function formatMs(ms) {
  return Number.isFinite(ms) ? formatQuantity(ms, 'ms') : 'no answer';
}

/** A time, exact enough to see whether it is below the limit. @param {number} ms @param {number} limitMs */
function formatAgainst(ms, limitMs) {
  if (!Number.isFinite(ms)) return 'too many fail';
  const isClear = (/** @type {number} */ rounded) => rounded < limitMs === ms < limitMs;
  if (isClear(ms >= 1000 ? Math.round(ms / 100) * 100 : Math.round(ms)))
    return formatQuantity(ms < 10 ? Math.round(ms * 10) / 10 : ms, 'ms');
  return `${formatNumber(ms, digitsAgainst(ms, limitMs))} ms`;
}

/** Decimals with which a time is on its side of a limit. @param {number} ms @param {number} limitMs */
function digitsAgainst(ms, limitMs) {
  return [0, 1, 2].find((each) => !Number.isFinite(ms) || Number(ms.toFixed(each)) < limitMs === ms < limitMs) ?? 3;
}

/** @param {number} share above 0 */
function formatPercent(share) {
  if (share < 0.0005) return 'under 0.1 %';
  return `${formatNumber(share * 100, share < 0.1 ? 1 : 0)} %`;
}
