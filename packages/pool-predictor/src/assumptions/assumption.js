// What doctor, predict and advise assume: numbers that only recordings can justify. docs/assumptions.md lists them all,
// with the range in which each changes no verdict, as `npm run calibrate` finds it.
//
// No assumptions, and where they are used instead: facts of the driver, the server and other tools, with a link; limits
// of inputs, outputs and of the time that something takes; steps, rounds and sizes of numerical methods.

/**
 * @typedef {object} Assumption
 * @property {string} id topic and name, such as `doctor.loopBlockedMs`
 * @property {number} value
 * @property {string} unit
 * @property {string} why
 * @property {string[]} evidence recordings of the corpus whose answers notice another value first
 */

/**
 * The values of a topic's assumptions. Code reads them where it needs them, so that `npm run calibrate` can change one.
 *
 * @template {string} Name
 * @param {Record<Name, Omit<Assumption, 'id'>>} entries
 * @returns {Record<Name, number>}
 */
export function valuesOf(entries) {
  return /** @type {any} */ (Object.fromEntries(Object.entries(entries).map(([name, { value }]) => [name, value])));
}
