export { Checkouts } from './checkouts.js';
export { Durations } from './durations.js';
export { EventBatch } from './event-batch.js';
export { readGauges } from './gauges.js';
export { holderOf, longestHolders, waiterOf } from './holders.js';
export { monitorPool } from './monitor.js';
export { PoolTimeoutError, explainPoolTimeout } from './pool-timeout-error.js';
export { createRequests } from './requests.js';
export { sampleServiceTimes } from './service-times.js';
export { createTraceWriter } from './trace-writer.js';

/**
 * @typedef {import('./checkout-log.js').CheckoutRecord} CheckoutRecord
 * @typedef {import('./gauges.js').Gauges} Gauges
 * @typedef {import('./holders.js').Holder} Holder
 * @typedef {import('./holders.js').Waiter} Waiter
 * @typedef {import('./monitor.js').PoolMonitor} PoolMonitor
 * @typedef {import('./request-log.js').RequestRecord} RequestRecord
 * @typedef {import('./requests.js').Requests} Requests
 * @typedef {import('./trace-writer.js').RecordedCheckout} RecordedCheckout
 * @typedef {import('./trace-writer.js').Written} Written
 */
