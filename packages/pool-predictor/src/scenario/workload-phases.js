import { parseDurationMs } from '../base/duration.js';

/** @import { Phase } from '../simulator/arrivals.js' */
/** @import { Issues } from './workload-issues.js' */

const KINDS = ['arrivalRate', 'arrivalCount', 'pause'];
// Artillery's timer counts whole microseconds.
const MAX_RATE = 1_000_000;

/** @param {any} config @param {Issues} issues @returns {Phase[]} */
export function readPhases(config, issues) {
  if (config.phases === undefined) {
    issues.warn(
      ['config'],
      'there are no phases: a single user arrives, as in Artillery. Are they in another file (--config)?',
    );
    return [{ durationMs: 1000, arrivalCount: 1 }];
  }
  if (!Array.isArray(config.phases)) {
    issues.refuse(['config', 'phases'], 'phases must be a list');
    return [];
  }
  return config.phases.flatMap((/** @type {any} */ phase, /** @type {number} */ index) => {
    const path = ['config', 'phases', index];
    const read = issues.attempt(path, () => readPhase({ mode: config.mode, ...phase }));
    if (!read) return [];
    if (read.pauseMs === undefined && !read.arrivalRate && !read.arrivalCount && !read.rampTo) {
      issues.warn(path, 'a phase without arrivals takes no time in Artillery: write pause to wait');
      return [];
    }
    return [read];
  });
}

/** @param {any} phase @returns {Phase} */
function readPhase(phase) {
  const isRamp = phase.rampTo !== undefined;
  const kinds = KINDS.filter((key) => phase[key] !== undefined);
  if (isRamp ? kinds.some((kind) => kind !== 'arrivalRate') : kinds.length !== 1) {
    throw new Error('a phase needs one of arrivalRate (with or without rampTo), arrivalCount and pause');
  }
  if (phase.pause !== undefined) return { pauseMs: positive('pause', parseDurationMs(phase.pause)) };

  if (phase.duration === undefined) throw new Error('a phase with arrivals needs a duration');
  const durationMs = positive('duration', parseDurationMs(phase.duration));
  const maxVusers =
    phase.maxVusers === undefined ? undefined : positive('maxVusers', wholeNumber('maxVusers', phase.maxVusers));
  if (phase.arrivalCount !== undefined) {
    return { arrivalCount: wholeNumber('arrivalCount', phase.arrivalCount), durationMs, maxVusers };
  }
  if (isRamp) {
    if (durationMs % 1000 !== 0) throw new Error('the duration of a ramp must be whole seconds');
    return {
      arrivalRate: rate('arrivalRate', phase.arrivalRate ?? 0),
      rampTo: rate('rampTo', phase.rampTo),
      durationMs,
      maxVusers,
    };
  }
  const arrivalRate = wholeNumber('arrivalRate', phase.arrivalRate);
  if (arrivalRate > MAX_RATE) throw new Error(`arrivalRate ${arrivalRate} is above ${MAX_RATE} per second`);
  if (arrivalRate > 0 && arrivalRate * durationMs < 1000) {
    throw new Error('the phase ends before its first arrival');
  }
  return { arrivalRate, durationMs, maxVusers, mode: mode(phase.mode ?? 'uniform') };
}

/** @param {string} name @param {unknown} value */
function wholeNumber(name, value) {
  const number = rate(name, value);
  if (!Number.isInteger(number)) throw new Error(`${name} must be a whole number, not ${number}`);
  return number;
}

/** @param {string} name @param {unknown} value */
function rate(name, value) {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number !== 'number' || !(number >= 0 && number < Infinity)) {
    throw new Error(`${name} must be a number of at least 0, not ${JSON.stringify(value)}`);
  }
  return number;
}

/** @param {string} name @param {number} value */
function positive(name, value) {
  if (value === 0) throw new Error(`${name} must be more than 0`);
  return value;
}

/** @param {unknown} value @returns {'uniform' | 'poisson'} */
function mode(value) {
  if (value !== 'uniform' && value !== 'poisson') {
    throw new Error(`mode must be uniform or poisson, not ${JSON.stringify(value)}`);
  }
  return value;
}
