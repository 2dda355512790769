import { readGauges } from './gauges.js';

/** No connection became free in time. The message includes the pool's gauges. */
export class PoolTimeoutError extends Error {
  name = 'PoolTimeoutError';
}

/**
 * Turns the driver's wait-queue timeout into an error that describes the pool. Returns any other error unchanged.
 *
 * @param {unknown} error
 * @param {import('./monitor.js').PoolMonitor} monitor
 * @param {number} timeoutMs the pool's waitQueueTimeoutMS
 */
export function explainPoolTimeout(error, monitor, timeoutMs) {
  // The driver does not export this error's class.
  if (!(error instanceof Error) || error.name !== 'MongoWaitQueueTimeoutError') return error;
  const { total, active, idle, waiting, max } = readGauges([...monitor.servers.values()]);
  return new PoolTimeoutError(
    `waited ${timeoutMs} ms for a connection: total ${total}, active ${active}, idle ${idle}, ` +
      `waiting ${waiting}, max ${max}`,
    { cause: error },
  );
}
