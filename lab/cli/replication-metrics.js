import { METRICS_TYPE, renderMetrics, sendProblem, sendText } from 'mongodb-pool-page';
import { openLoopbackServer } from '../base/loopback-server.js';

/** @import { Metric } from 'mongodb-pool-page' */
/** @import { Figures } from 'oplog-replicator' */

/** Why an entry of the oplog was not applied: see Figures. */
const SKIPPED = /** @type {const} */ (['noops', 'migrations', 'excluded', 'internal', 'unsupported']);
const APPLIED = /** @type {const} */ (['inserts', 'updates', 'deletes', 'commands']);

/** @param {() => Figures} figures @returns {string} in Prometheus' text format */
function renderReplicationMetrics(figures) {
  const now = figures();
  return renderMetrics([
    {
      name: 'oplog_replicator_operations_total',
      help: 'Operations applied to the target.',
      type: 'counter',
      read: () => APPLIED.map((kind) => ({ labels: { kind }, value: now[kind] })),
    },
    {
      name: 'oplog_replicator_skipped_total',
      help: 'Entries of the oplog that were not applied.',
      type: 'counter',
      read: () => SKIPPED.map((reason) => ({ labels: { reason }, value: now[reason] })),
    },
    createMetric('counter', 'batches_total', 'Batches written.', now.batches),
    createMetric('counter', 'bytes_total', 'Bytes of these batches.', now.bytes),
    createMetric('gauge', 'backlog', 'Operations that were read and are not yet written.', now.backlog),
    createMetric(
      'gauge',
      'lag_seconds',
      'Time since the source executed the oldest operation not yet written.',
      now.lagMs / 1000,
    ),
    createMetric(
      'gauge',
      'copying',
      '1 until the copy of what was there is complete, then 0.',
      Number(now.copy !== null && now.copy.phase !== 'done'),
    ),
    createMetric('gauge', 'copied_bytes', 'Bytes copied, of what was there at the beginning.', now.copy?.bytes ?? 0),
    createMetric('gauge', 'copy_size_bytes', 'Bytes to copy, about.', now.copy?.totalBytes ?? 0),
  ]);
}

/** @param {Metric['type']} type @param {string} name @param {string} help @param {number} value @returns {Metric} */
function createMetric(type, name, help, value) {
  return { name: `oplog_replicator_${name}`, help, type, read: () => [{ labels: {}, value }] };
}

/**
 * Serves `/metrics` on loopback.
 * @param {() => Figures} figures
 * @param {number} port 0 takes any free one
 */
export function openMetrics(figures, port) {
  return openLoopbackServer(
    (path, res) =>
      path === '/metrics'
        ? sendText(res, renderReplicationMetrics(figures), METRICS_TYPE)
        : sendProblem(res, 404, 'Not Found', 'only /metrics'),
    { port, option: '--metrics-port' },
  );
}
