export { Checkouts } from './core/checkouts.js';
export { Durations } from './core/durations.js';
export { EventBatch } from './core/event-batch.js';
export { readGauges } from './core/gauges.js';
export { holderOf, longestHolders, waiterOf } from './core/holders.js';
export { monitorPool } from './core/monitor.js';
export {
  DURATION_BOUNDS,
  nameOfPool,
  POOL_DURATIONS,
  POOL_GAUGES,
  POOL_TIMEOUTS,
  readPoolGauge,
} from './core/pool-instruments.js';
export { PoolTimeoutError, explainPoolTimeout } from './core/pool-timeout-error.js';
export { createRequests } from './core/requests.js';
export { createServerLoadReader } from './core/server-load.js';
export { createServerWatch } from './core/server-watch.js';
export { sampleServiceTimes } from './core/service-times.js';
export { TraceLines } from './core/trace-lines.js';
export { createTraceWriter } from './core/trace-writer.js';

/**
 * @typedef {import('./core/checkout-log.js').CheckoutRecord} CheckoutRecord
 * @typedef {import('./core/checkout-log.js').OpenCheckout} OpenCheckout
 * @typedef {import('./core/describe-client.js').ClientSite} ClientSite
 * @typedef {import('./core/request-context.js').EndedRequest} EndedRequest
 * @typedef {import('./core/gauges.js').Gauges} Gauges
 * @typedef {import('./core/holders.js').Holder} Holder
 * @typedef {import('./core/holders.js').Waiter} Waiter
 * @typedef {import('./core/monitor.js').PoolMonitor} PoolMonitor
 * @typedef {import('./core/request-log.js').RequestLog} RequestLog
 * @typedef {import('./core/request-log.js').RequestRecord} RequestRecord
 * @typedef {import('./core/requests.js').Requests} Requests
 * @typedef {import('./core/describe-client.js').ClientFacts} ClientFacts
 * @typedef {import('./core/event-log.js').EventLog} EventLog
 * @typedef {import('./core/event-log.js').EventRecord} EventRecord
 * @typedef {import('./core/server-load.js').ServerStatusLoad} ServerStatusLoad
 * @typedef {import('./core/trace-lines.js').RecordedCheckout} RecordedCheckout
 * @typedef {import('./core/trace-writer.js').TraceWriter} TraceWriter
 * @typedef {import('./core/trace-writer.js').Written} Written
 */
