import { clientError } from '../../../src/http/problem.js';
import { MAX_LEARNERS } from './class-roll.js';

const MINUTE_MS = 60_000;
const MAX_JOINS_PER_MIN = 120;
/** Two pages per learner, and some to spare. */
const MAX_PAGES = 450;

/**
 * Keeps one script from taking the whole class: an address gets a share of its places, of the joins per minute, and of
 * the open pages. The share is large, because all learners behind one router have the same address.
 *
 * @param {object} options
 * @param {number} options.share in percent
 * @param {(id: string) => boolean} options.isHere whether a learner still is in the class
 */
export function createAddressLimits({ share, isHere }) {
  const shareOf = (/** @type {number} */ whole) => Math.max(1, Math.floor((whole * share) / 100));
  const [places, joinsPerMin, pages] = [MAX_LEARNERS, MAX_JOINS_PER_MIN, MAX_PAGES].map(shareOf);
  /**
   * Learners of each address who are in the class, or joined in the last minute.
   * @type {Map<string, { id: string, atMs: number }[]>}
   */
  const joined = new Map();
  /** @type {Map<string, number>} */
  const openPages = new Map();
  let pageCount = 0;
  const tooFast = `new learners per minute from one address: at most ${joinsPerMin}. Try again in a minute`;
  const tooMany = `places per address: at most ${places} of ${MAX_LEARNERS}. The teacher can allow more with --share`;

  return {
    /**
     * @template {{ id: string }} T
     * @param {string} address
     * @param {number} nowMs
     * @param {() => T} join
     * @returns {T} the new learner
     * @throws {Error} with status 429, if the address has its share
     */
    join(address, nowMs, join) {
      const isRecent = (/** @type {{ atMs: number }} */ { atMs }) => nowMs - atMs < MINUTE_MS;
      const known = (joined.get(address) ?? []).filter((one) => isRecent(one) || isHere(one.id));
      if (known.filter(isRecent).length >= joinsPerMin) throw clientError(429, tooFast);
      if (known.filter(({ id }) => isHere(id)).length >= places) throw clientError(429, tooMany);
      const learner = join();
      joined.set(address, [...known, { id: learner.id, atMs: nowMs }]);
      return learner;
    },
    /**
     * Counts a page until its response ends.
     * @param {string} address
     * @param {import('node:http').ServerResponse} res
     * @throws {Error} with status 429, if there are too many
     */
    openPage(address, res) {
      const count = openPages.get(address) ?? 0;
      if (count >= pages || pageCount >= MAX_PAGES) throw clientError(429, 'too many pages are open');
      pageCount += 1;
      openPages.set(address, count + 1);
      res.once('close', () => {
        pageCount -= 1;
        const rest = Number(openPages.get(address)) - 1;
        if (rest > 0) openPages.set(address, rest);
        else openPages.delete(address);
      });
    },
  };
}
