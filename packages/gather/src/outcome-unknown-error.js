/** No response came to a write, so the document may be stored or not. */
export class OutcomeUnknownError extends Error {
  name = 'OutcomeUnknownError';

  /** @param {Error} cause the driver's error */
  constructor(cause) {
    super(`the document may or may not be stored: ${cause.message}`, { cause });
  }
}
