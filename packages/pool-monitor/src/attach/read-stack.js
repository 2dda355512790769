/**
 * Reads the stack of the caller, whatever limit the app has set.
 * @param {number} maxFrames
 */
export function readStack(maxFrames) {
  const { stackTraceLimit } = Error;
  // One more for this function.
  Error.stackTraceLimit = maxFrames + 1;
  const { stack } = new Error();
  Error.stackTraceLimit = stackTraceLimit;
  return String(stack);
}
