export { secure, sendJson, sendProblem, sendText } from './answers.js';
export { CHART_JS } from './chart-js.js';
export { createLiveView } from './live-view.js';
export { isLoopback, namesLoopback } from './loopback.js';
export { CONTENT_TYPE as METRICS_TYPE, renderMetrics } from './prometheus.js';
export { readClientSettings } from './read-clients.js';
export { busyCores } from './server-gauge.js';
export { createStreams } from './streams.js';

/**
 * @typedef {import('./feed-shapes.js').BusyConnection} BusyConnection
 * @typedef {import('./feed-shapes.js').ClientReading} ClientReading
 * @typedef {import('./feed-shapes.js').EndedRequest} EndedRequest
 * @typedef {import('./feed-shapes.js').LiveReading} LiveReading
 * @typedef {import('./feed-shapes.js').RouteSecond} RouteSecond
 * @typedef {import('./feed-shapes.js').Second} Second
 * @typedef {import('./feed-shapes.js').Waiter} Waiter
 * @typedef {import('./live-source.js').LiveSource} LiveSource
 * @typedef {import('./live-view.js').LiveView} LiveView
 * @typedef {import('./prometheus.js').Metric} Metric
 */
