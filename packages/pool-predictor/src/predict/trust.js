import { mean, sum } from '../base/sample-statistics.js';
import { lowerBand, widenBand } from '../runs/run-figures.js';
import { countFreeCores, meansByRoute, shareUsed } from '../trace/trace.js';
import { findImpatience, judgeFailures } from './known-failures.js';

/** @import { Load } from '../load/load.js' */
/** @import { TraceLoad } from '../load/trace-load.js' */
/** @import { PredictedFigures } from '../runs/run-figures.js' */
/** @import { ServerFit, Trace } from '../trace/trace.js' */
/** @import { CodedFinding } from '../base/finding.js' */
/** @import { TraceCheck } from './check-trace.js' */

/** A band is by so much wider at each end for each doubling or halving of the recorded size. */
const WIDEN_PER_DOUBLING = 0.05;
/**
 * Where callers wait for answers, or queries share the server, an error at one size grows with the distance. On a
 * server that is busy for a share of the time, the time of a query changes 1 / (1 - share) times as much as its work
 * (M/M/1). So does that of a request in an app whose event loop is busy: connections that are free sooner let more
 * requests meet there.
 */
const WIDEN_PER_DOUBLING_SHARED = 0.1;
/**
 * No band is widened as for a server that is busier. If callers wait for answers, the queue at the server does not grow
 * without end. Measured: with 12 callers, predictions at half and twice the size were off by up to 30 %.
 */
const MAX_BUSY_SHARE = { open: 0.9, callers: 2 / 3 };
/** A second recording, at another size, makes up for half of it. */
const SECOND_RECORDING = 0.5;
/** A pool that is full all the time makes at least this share of the checkouts wait. */
const FULL_SHARE = 0.5;
/** Sizes from this factor on get no figures where the recording can't tell what the server would do. */
const MAX_FACTOR_UNKNOWN_SERVER = 2;
/** A figure says nothing if the measured one may be this many times as large, or as small ... */
const MAX_BAND_FACTOR = 2;
/** ... unless that is less than anybody notices. */
const NOTICED_MS = 5;
/**
 * Below this share of its cores in use, a server hardly makes queries wait: of two cores for a fifth of their work
 * (M/M/2: share^2 / (1 - share^2)), of more cores for less.
 */
const IDLE_SHARE = 0.4;
/** Where the server has more to do, or less, queries may take longer, or shorter, by this share of their use. */
const MAX_SLOWER = 0.15;
/** The sockets of so small a share of the checkouts may be unknown. */
const MAX_UNKNOWN_SHARE = 0.05;
/**
 * Requests pile up if the last third of them takes this many times as long as the first. Measured in 38 recordings of
 * loads that share the server: 3.5 to 4.2 times where it had too much to do, else 0.9 to 1.2 times ...
 */
const GROWTH = 2;
/** ... and it used 0.78 to 0.97 of its cores. */
const FULL_SERVER_SHARE = 0.7;

/**
 * How far the predictions from a recording can be trusted.
 *
 * @typedef {object} Trust
 * @property {number} recordedSize
 * @property {TraceCheck} check
 * @property {boolean} isUnclear whether requests wait for the answers to others
 * @property {CodedFinding | null} refusal why no size gets figures, or, if it is unknownServer, those far away do not
 * @property {(poolSize: number) => CodedFinding | null} refusalAt why a size gets no figures
 * @property {boolean} showsEverything the recording shows all that a prediction depends on, even if nobody waited: on
 *   which sockets requests came, and that the server has cores to spare. Where it is unclear who waits for answers,
 *   there are two readings
 * @property {(figure: { name: string, poolSize: number, inUse?: number, ms: number, lowMs?: number, highMs?: number })
 *   => CodedFinding | null} reasonToHide why a figure of requests is not shown; inUse: connections that are in use on
 *   average at that size
 * @property {ReturnType<typeof judgeFailures>} whyUnknownFailures why it is unknown how many requests fail at a size
 * @property {(poolSize: number) => number} marginAt by which share of it a time may be longer than in all simulated
 *   runs: those of callers who wait are much alike, and where they share a server, its model errs by more
 * @property {(figures: PredictedFigures, poolSize: number) => PredictedFigures} widen makes the band of a size as wide
 *   as its distance from the recorded size, and short queries on a full server, need it
 */

/**
 * @param {object} input
 * @param {Trace} input.trace
 * @param {Load & Partial<Pick<TraceLoad, 'services'>>} input.load
 * @param {Trace[]} [input.others] recordings at other sizes
 * @param {number | 'none'} [input.serverCores] given by the user
 * @param {TraceCheck} check
 * @returns {Trust}
 */
export function judgeTrust({ trace, load, others = [], serverCores }, check) {
  const recordedSize = Number(trace.header.maxPoolSize) || NaN;
  const { callers } = load;
  const isOfCallers = (callers?.callersShare ?? 0) > 0.5;
  const isFull =
    isOfCallers && Number(callers?.callers) > recordedSize && check.waits.count >= FULL_SHARE * trace.waitMs.length;
  const isSilent = trace.sharing ? trace.sharing.source === 'guessed' : !trace.server;
  const isAlone = others.length === 0 && serverCores === undefined;
  const impatience = findImpatience(trace);
  const findRefusal = () => {
    if (trace.clients) return found('manyClients', trace.clients);
    if (impatience?.isMuch) return found('clientsGiveUp', impatience);
    if (check.status === 'fails') return describeCheck(check);
    if (isAlone && !isOfCallers && trace.sharing && pilesUp(trace)) return found('growingQueue');
    return isAlone && isFull && isSilent ? found('unknownServer') : null;
  };
  const refusal = findRefusal();
  const { sharing, loop } = trace;
  const width =
    isOfCallers || load.closedReading || sharing || loop?.isLate ? WIDEN_PER_DOUBLING_SHARED : WIDEN_PER_DOUBLING;
  const work = workOf(loop, load);
  const busyShare = Math.max(work.share, sharing ? busyShareOf(trace, sharing) : 0);
  const idleShare = 1 - Math.min(busyShare, MAX_BUSY_SHARE[isOfCallers ? 'callers' : 'open']);
  const step = (width / idleShare) * (others.length > 0 ? SECOND_RECORDING : 1);
  const wideningAt = (/** @type {number} */ size) => (recordedSize > 0 ? step * Math.log2(ratioOf(size)) : 0);
  const ratioOf = (/** @type {number} */ size) => Math.max(size / recordedSize, recordedSize / size);
  const showsEverything = recordedSize > 0 && hasSockets(trace) && hasIdleServer(trace);
  // A larger pool saves at most the recorded waits. Where they were too few to check, it hardly changes a figure.
  const isKnown = (/** @type {number} */ size) => showsEverything || (check.of === 'waits' && size > recordedSize);
  // Where nothing shows how queries slow each other down on the server, they may do so at a size that makes it busy.
  const isServerUnseen = !trace.sharing && isAlone;
  const recordedInUse = sum(Array.from(trace.useMs)) / endOf(trace);
  const refusalAt = (/** @type {number} */ size) =>
    refusal?.code === 'unknownServer' && ratioOf(size) < MAX_FACTOR_UNKNOWN_SERVER ? null : refusal;
  return {
    recordedSize,
    check,
    isUnclear: load.closedReading !== undefined,
    refusal,
    refusalAt,
    showsEverything,
    reasonToHide: ({ name, poolSize, inUse = NaN, ms, lowMs = ms, highMs = ms }) => {
      const refused = refusalAt(poolSize);
      // Those of the recorded size were recorded.
      if (refused || poolSize === recordedSize) return refused;
      if (impatience && ms > impatience.afterMs) return found('clientsGiveUp', impatience);
      if (isServerUnseen && Math.abs(slowdownAt(trace, recordedInUse, inUse)) > MAX_SLOWER) return found('busyServer');
      if (others.length === 0 && loopWaitAt(work, inUse / recordedInUse) > Math.max(MAX_SLOWER * ms, NOTICED_MS))
        return found('busyLoop');
      if (check.status === 'notChecked' && !isKnown(poolSize) && name !== 'p50Ms') return describeCheck(check);
      const [least, most] = [ms / MAX_BAND_FACTOR, ms * MAX_BAND_FACTOR];
      const isWide = highMs > Math.max(most, ms + NOTICED_MS) || lowMs < Math.min(least, ms - NOTICED_MS);
      return isWide ? found('wideBand') : null;
    },
    whyUnknownFailures: judgeFailures(trace),
    marginAt: (size) => (isOfCallers && sharing ? wideningAt(size) : 0),
    widen: (figures, size) => {
      const widened = widenBand(figures, wideningAt(size));
      return trace.sharing && figures.peakActive > trace.sharing.seen
        ? lowerBand(widened, savedByTurns(trace, trace.sharing, figures))
        : widened;
    },
  };
}

/** @param {CodedFinding['code']} code @param {object} [figures] @returns {CodedFinding} */
function found(code, figures = {}) {
  return { code, figures };
}

/** @param {TraceCheck} check that does not hold @returns {CodedFinding} why */
export function describeCheck(check) {
  return found(/** @type {CodedFinding['code']} */ (check.reason), check);
}

/**
 * Where more queries share the cores than were recorded, the scheduler may let those that need less than a turn have
 * one before all others, because their threads slept. The model lets them wait for their turn. Measured with 13 queries
 * on 1.5 cores: such a query took 8 ms where turns would make it 13.
 *
 * @param {Trace} trace
 * @param {ServerFit} sharing
 * @param {PredictedFigures} figures
 * @returns {Record<string, number>} by how many ms they would be answered earlier, by route
 */
function savedByTurns(trace, { aloneMs, sliceMs }, { routes }) {
  const means = meansByRoute(trace, aloneMs);
  return Object.fromEntries(
    trace.routes.flatMap((route, index) =>
      means[index] < sliceMs && routes[route] ? [[route, Math.max(0, routes[route].meanUseMs - means[index])]] : [],
    ),
  );
}

/**
 * Whether the trace says on which sockets the requests came. Those that go on when a recording ends have none.
 * @param {Trace} trace
 */
function hasSockets({ socketOf }) {
  const known = Array.from(socketOf ?? []).filter((socket) => socket >= 0).length;
  return socketOf !== undefined && known >= (1 - MAX_UNKNOWN_SHARE) * socketOf.length;
}

/** Whether the server said that it had cores to spare. @param {Trace} trace */
function hasIdleServer({ server }) {
  return server !== undefined && shareUsed(server) < IDLE_SHARE;
}

/**
 * The share of its free cores that a server used: what it said, or what its queries needed.
 *
 * @param {Trace} trace
 * @param {Pick<ServerFit, 'cores' | 'workShares' | 'aloneMs'>} sharing
 */
function busyShareOf(trace, { cores, workShares, aloneMs }) {
  const { server, routes, routeOf } = trace;
  if (server) return shareUsed(server);
  const works = Array.from(aloneMs, (ms, row) => ms * workShares[routes[routeOf[row]]]);
  return sum(works) / (cores * endOf(trace));
}

/**
 * @param {Pick<Trace, 'checkOutStartedMs' | 'waitMs' | 'useMs'>} trace
 * @returns {number} when its last checkout ended
 */
function endOf({ checkOutStartedMs, waitMs, useMs }) {
  let endMs = 0;
  for (let row = 0; row < useMs.length; row++)
    endMs = Math.max(endMs, checkOutStartedMs[row] + waitMs[row] + useMs[row]);
  return endMs;
}

/**
 * Whether requests arrived faster than a full server answered them, so that each took longer than those before it.
 * @param {Trace} trace
 */
function pilesUp({ server, waitMs, useMs }) {
  if (!server || shareUsed(server) < FULL_SERVER_SHARE) return false;
  const third = Math.ceil(useMs.length / 3);
  let [first, last] = [0, 0];
  for (let row = 0; row < third; row++) {
    const mirrored = useMs.length - 1 - row;
    first += waitMs[row] + useMs[row];
    last += waitMs[mirrored] + useMs[mirrored];
  }
  return last >= GROWTH * first;
}

/**
 * Estimates by which share of its use a query takes longer than it was recorded if more connections are in use. Each of
 * them keeps as much of a core busy as in the recording, and that part of a query waits for a core as in an M/M/1 or
 * M/M/2 queue, see IDLE_SHARE. With more cores it waits less.
 *
 * @param {Trace} trace
 * @param {number} recordedInUse connections on average
 * @param {number} inUse those predicted
 * @returns {number} NaN where the server or inUse is unknown
 */
function slowdownAt({ server }, recordedInUse, inUse) {
  if (!server || Number.isNaN(inUse)) return NaN;
  const { busyCores } = server;
  const cores = countFreeCores(server);
  const workShare = Math.min(1, busyCores / recordedInUse);
  const waitAt = (/** @type {number} */ busy) => {
    const share = busy / cores;
    if (share >= 1) return Infinity;
    return cores < 2 ? share / (1 - share) : share ** 2 / (1 - share ** 2);
  };
  return workShare * (waitAt(workShare * inUse) - waitAt(busyCores));
}

/**
 * What requests cost the app's event loop. The rest of their responses is more than that, if they wait for something
 * else; and the loop may be busy with something else.
 *
 * @param {Trace['loop']} loop
 * @param {Partial<Pick<TraceLoad, 'services'>>} load
 * @returns {{ ms: number, share: number }} for each, and of the loop's time
 */
function workOf(loop, { services = {} }) {
  const requests = Object.values(services).flatMap((each) => (each.kind === 'requests' ? each.requests : []));
  if (!loop || requests.length === 0) return { ms: 0, share: 0 };
  const ms = Math.min(loop.busyMs, mean(requests.map(({ restMs }) => restMs)));
  return { ms, share: (loop.busyShare * ms) / loop.busyMs };
}

/**
 * Estimates how long a request may wait for the app's event loop, as in an M/M/1 queue. In the recording it may have
 * waited less: a pool that is too small keeps requests from meeting there.
 *
 * @param {ReturnType<typeof workOf>} work
 * @param {number} more times as many connections are in use, so that as many more requests come
 * @returns {number} in ms; NaN where `more` is unknown
 */
function loopWaitAt({ ms, share }, more) {
  const idleShare = 1 - share * Math.max(1, more);
  return idleShare <= 0 ? Infinity : ms / idleShare - ms;
}
