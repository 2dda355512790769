import { formatNumber, formatQuantity } from 'mongodb-pool-page/universal/quantity.js';
import { right, wrong } from '../define-lesson.js';
import { RECORD_FIRST } from './shop-recording.js';

/** @import { Evidence, Verdict } from '../lesson-types.js' */
/** @import { ShopFigures } from './measure-shop.js' */

/** Limit of a median. A sound shop needs 60 ms for its longest route. */
const LIMIT_MS = 100;
/** Noise of a busy machine. An idle one has less than half of it. */
const BUSY_MS = 15;
/** The five that the shop may have, and up to four with which the driver monitors the server for two clients. */
const MAX_CONNECTIONS = 9;
/** A warm pool opens none. */
const MAX_OPENED = 10;
/** A sound shop needs ten. */
const MAX_EXAMINED = 100;

/**
 * Judges what was measured. What the learner named does not decide, but a wrong name costs a recording.
 * @param {Evidence} evidence
 * @returns {Verdict}
 */
export function judgeShop({ shop: { figures, cause, named, recorded } }) {
  const problem = findProblem(figures);
  const isNamed = named.cause === cause.name && named.route === cause.route;
  // On a busy machine even a shop that is mended is slow.
  if (problem && (isNamed || wasDisturbed(figures))) return { ...wrong(problem), figures: recorded };
  if (problem) {
    const words = `${problem} The cause is not ${named.cause} (${named.route}).`;
    return { ...wrong(words), figures: recorded, needs: RECORD_FIRST };
  }
  const where = cause.route === 'all' ? 'in what all routes share' : `in ${cause.route}`;
  return right(
    `Half of the requests to each route take at most ${formatQuantity(slowestOf(figures).p50Ms, 'ms')}. ` +
      `${isNamed ? 'You had found it' : `You named ${named.cause} (${named.route}), but it was this`}: ` +
      `${cause.about}, ${where}. What showed it: ${cause.sign}.`,
    { figures: recorded },
  );
}

/** The slowest route. @param {ShopFigures} figures */
function slowestOf({ routes }) {
  return Object.entries(routes)
    .map(([route, { p50Ms }]) => ({ route, p50Ms }))
    .toSorted((a, b) => b.p50Ms - a.p50Ms)[0];
}

/** Whether other programs were in the way. @param {ShopFigures} figures */
function wasDisturbed({ noiseMs, examined }) {
  // A query without an index keeps the server busy, too.
  return noiseMs > BUSY_MS && examined <= MAX_EXAMINED;
}

/** @param {ShopFigures} figures @returns {string | undefined} */
function findProblem(figures) {
  const { connections, opened, examined, missed, requests } = figures;
  const isBusy = wasDisturbed(figures);
  const busy = 'but something else used this machine: close other programs and try again.';
  for (const [route, { failures, isRight }] of Object.entries(figures.routes)) {
    if (failures > 0) return `${failures} requests to ${route} got no answer${isBusy ? `, ${busy}` : '.'}`;
    if (!isRight) return `${route} no longer gives the right answer.`;
  }
  const { route, p50Ms } = slowestOf(figures);
  if (missed > 0) return `The shop missed ${missed} changes to its products: /changes counts them.`;
  if (p50Ms > LIMIT_MS) {
    const found = `Half of the requests to ${route} take longer than ${formatQuantity(p50Ms, 'ms')}`;
    return isBusy ? `${found}, ${busy}` : `${found}. It must be less than ${LIMIT_MS} ms.`;
  }
  if (connections > MAX_CONNECTIONS)
    return `The shop had ${connections} connections to the server. It may have at most 5.`;
  if (opened > MAX_OPENED) return `The shop opened ${opened} connections for ${requests} requests. It needs 5.`;
  if (examined > MAX_EXAMINED) return `The server looked at ${formatNumber(examined)} documents for each request.`;
  return undefined;
}
