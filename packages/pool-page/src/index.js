export { createTokenCheck, isLoopback, namesLoopback } from './access.js';
export { secure, sendJson, sendProblem, sendText } from './answers.js';
export { createLiveView } from './live-view.js';
export { CONTENT_TYPE as METRICS_TYPE, mergeMetrics, renderMetrics } from './prometheus.js';
export { readClientSettings } from './read-clients.js';
export { busyCores, otherBusyCores, readMachine } from './server-gauge.js';
export { describeLoop } from './recent-trace.js';
export { createStreams } from './streams.js';

/**
 * @typedef {import('../universal/feed-shapes.js').BusyConnection} BusyConnection
 * @typedef {import('../universal/feed-shapes.js').ClientReading} ClientReading
 * @typedef {import('../universal/feed-shapes.js').LiveReading} LiveReading
 * @typedef {import('../universal/feed-shapes.js').RouteSecond} RouteSecond
 * @typedef {import('../universal/feed-shapes.js').Second} Second
 * @typedef {import('../universal/feed-shapes.js').QueuedWaiter} QueuedWaiter
 * @typedef {import('./live-source.js').LiveSource} LiveSource
 * @typedef {import('./page-files.js').Extension} Extension
 * @typedef {import('./live-view.js').LiveView} LiveView
 * @typedef {import('./prometheus.js').Metric} Metric
 */
