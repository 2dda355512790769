/** After so many errors the monitor detaches: something here does not fit this app. */
const MAX_ERRORS = 20;

/**
 * Keeps the monitor's errors away from the app. Code that the app or the driver calls runs inside a guard.
 *
 * @param {(error: unknown) => void} onFirst gets the first error
 * @param {() => void} onTooMany called once
 */
export function createGuard(onFirst, onTooMany) {
  let errors = 0;

  /** @param {unknown} error */
  function note(error) {
    errors += 1;
    try {
      if (errors === 1) onFirst(error);
      if (errors === MAX_ERRORS) onTooMany();
    } catch {
      // There is nobody left to tell.
    }
  }

  /**
   * @template {any[]} Args
   * @param {(...args: Args) => unknown} work
   * @returns {(...args: Args) => void} the same, which never throws
   */
  return (work) => (...args) => {
    try {
      work(...args);
    } catch (error) {
      note(error);
    }
  };
}

/** @typedef {ReturnType<typeof createGuard>} Guard */
