/** A write was sent, or may have been, and its answer never came: it may have happened or not. `cause` says why. */
export class OutcomeUnknownError extends Error {
  name = 'OutcomeUnknownError';

  /** @param {Error} cause the driver's error */
  constructor(cause) {
    super(`it is not known whether the document is stored: ${cause.message}`, { cause });
  }
}
