/** No connection became free in time; the message says how full the pool was. */
export class PoolTimeoutError extends Error {
  name = 'PoolTimeoutError';
}

/**
 * Say of the driver's wait-queue timeout what the pool looked like. Any other error is returned as it is.
 *
 * @param {unknown} error
 * @param {import('./monitor.js').PoolMonitor} monitor
 * @param {number} timeoutMs the pool's waitQueueTimeoutMS
 */
export function explainPoolTimeout(error, monitor, timeoutMs) {
  // The driver does not export this error's class.
  if (!(error instanceof Error) || error.name !== 'MongoWaitQueueTimeoutError') return error;
  const { total, active, idle, waiting, max } = monitor.snapshot().totals;
  return new PoolTimeoutError(
    `waited ${timeoutMs} ms for a connection: total ${total}, active ${active}, idle ${idle}, waiting ${waiting}, max ${max}`,
    { cause: error });
}
