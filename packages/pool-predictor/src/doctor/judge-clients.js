import { DOCTOR } from '../assumptions/doctor-assumptions.js';
import { GROWTH_CAUSES } from './causes.js';

/** @import { ClientUse } from '../trace/client-use.js' */
/** @import { Cause } from './causes.js' */
/** @import { WaitVerdict } from './verdict.js' */

/** What many clients cause, or hide. @type {readonly Cause[]} */
const MINOR = [...GROWTH_CAUSES, 'none', 'notThePool', 'tooLittleData', 'lateEventLoop'];

/**
 * Whether the clients of a process are what to mend first. A client in each request always is.
 *
 * @param {WaitVerdict} verdict on everything else
 * @param {ClientUse[]} uses
 * @returns {WaitVerdict}
 */
export function judgeClients(verdict, [use]) {
  if (!use || !isMain(verdict.cause, use)) return verdict;
  return {
    ...verdict,
    cause: use.kind === 'stay' ? 'manyClients' : 'clientPerRequest',
    isProblem: true,
    slow: null,
    facts: { routes: [], holders: [], clients: use },
  };
}

/** @param {Cause} cause @param {ClientUse} use */
function isMain(cause, { kind, open, mayOpen, limit }) {
  if (kind !== 'stay' || GROWTH_CAUSES.includes(cause)) return true;
  const isOverLimit = limit !== null && (mayOpen ?? Infinity) > limit;
  return MINOR.includes(cause) && (open >= DOCTOR.tooManyClients || isOverLimit);
}
