/** @import { Load, TraceCheck } from 'mongodb-pool-predictor' */
/** @import { Trace } from 'mongodb-pool-predictor/node' */

/** By how much wider a band is at each end for each doubling or halving of the recorded size. */
const WIDER = 0.1;
/** Where callers wait for answers, or queries share the server, an error at one size grows with the distance. */
const MORE_WIDER = 0.2;
/** A second recording, at another size, makes up for half of it. */
const SECOND_RECORDING = 0.5;
/** A pool that is full all the time makes at least this share of the checkouts wait. */
const FULL_SHARE = 0.5;
/** Sizes further away than this factor are withheld where the recording can't tell what the server would do. */
const NEAR = 2;

/**
 * How far the predictions from a recording can be trusted.
 *
 * @typedef {object} Trust
 * @property {number} recordedSize
 * @property {TraceCheck} check
 * @property {boolean} isUnclear whether requests wait for the answers to others
 * @property {'checkFails' | 'unknownServer' | null} withheld why some sizes get no figures: a recording with one size of a
 *   full pool does not show whether its queries slow each other down
 * @property {(poolSize: number) => boolean} isWithheld
 * @property {(poolSize: number) => number} widenBy see predict
 */

/**
 * @param {object} input
 * @param {Trace} input.trace
 * @param {Load} input.load
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
  const withheld =
    check.status === 'fails'
      ? 'checkFails'
      : isFull && isSilent && others.length === 0 && serverCores === undefined
        ? 'unknownServer'
        : null;
  const step =
    (isOfCallers || load.otherwise || trace.sharing ? MORE_WIDER : WIDER) * (others.length > 0 ? SECOND_RECORDING : 1);
  const ratioOf = (/** @type {number} */ size) => Math.max(size / recordedSize, recordedSize / size);
  return {
    recordedSize,
    check,
    isUnclear: load.otherwise !== undefined,
    withheld,
    isWithheld: (size) => {
      if (withheld === 'checkFails') return size !== recordedSize;
      return withheld === 'unknownServer' && ratioOf(size) >= NEAR;
    },
    widenBy: (size) => (recordedSize > 0 ? step * Math.log2(ratioOf(size)) : 0),
  };
}
