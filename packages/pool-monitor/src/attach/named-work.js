import { channel } from 'node:diagnostics_channel';

/** @import { Checkouts } from '../core/checkouts.js' */

/** Where `tracingChannel('mongodb-pool-monitor:work')` of the app publishes that some work starts. */
const WORK_START = 'tracing:mongodb-pool-monitor:work:start';
/** More than any app has. Names that never end must not fill the memory. */
const MAX_NAMES = 250;
const MAX_LENGTH = 100;
const OTHER = '(other work)';

/**
 * Names the work that an app does outside of requests, such as jobs and socket events, as the app says. An app needs
 * nothing of this package for that, and pays next to nothing where it is not watched.
 *
 * @param {Checkouts} checkouts
 * @returns {() => void} ends it
 */
export function nameWork(checkouts) {
  /** @type {Set<string>} */
  const names = new Set();
  // Only asked once the work uses a connection. So events that clients make up take no name.
  const readRoute = (/** @type {string} */ name) => {
    if (names.size < MAX_NAMES) names.add(name);
    return names.has(name) ? name : OTHER;
  };
  return checkouts.bind(channel(WORK_START), (message) => {
    const { name } = Object(message);
    if (typeof name !== 'string' || name === '') return undefined;
    return { route: readRoute, from: name.slice(0, MAX_LENGTH), isOutside: true };
  });
}
