/** @import { Guard } from '../core/event-batch.js' */

/** After this many errors the monitor detaches, because something here does not fit this app. */
const MAX_ERRORS = 20;

/**
 * Creates a guard, which keeps the monitor's errors away from the app. Code that the app or the driver calls runs
 * inside it.
 *
 * @param {(error: unknown) => void} onFirst gets the first error
 * @param {() => void} onTooMany called once
 * @returns {Guard}
 */
export function createGuard(onFirst, onTooMany) {
  let errors = 0;

  /** @param {unknown} error */
  function countError(error) {
    errors += 1;
    try {
      if (errors === 1) onFirst(error);
      if (errors === MAX_ERRORS) onTooMany();
    } catch {
      // An error of the error handler has no other handler.
    }
  }

  return (work) =>
    // One parameter each: a list of them would be made anew for each event.
    /** @type {(...args: any[]) => void} */ (
      (first, second, third) => {
        try {
          /** @type {Function} */ (work)(first, second, third);
        } catch (error) {
          countError(error);
        }
      }
    );
}
