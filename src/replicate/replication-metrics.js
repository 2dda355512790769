import { METRICS_TYPE, renderMetrics, sendProblem, sendText } from 'mongodb-pool-monitor/live';
import { openLoopbackServer } from '../http/loopback-server.js';

/** @import { Metric } from 'mongodb-pool-monitor/live' */
/** @import { Figures } from 'oplog-replicator' */

/** @param {() => number} value @returns {Metric['read']} */
const one = (value) => () => [{ labels: {}, value: value() }];

/** Why an entry of the oplog was not applied: see Figures. */
const SKIPPED = /** @type {const} */ (['noops', 'migrations', 'excluded', 'internal', 'unsupported']);
const APPLIED = /** @type {const} */ (['inserts', 'updates', 'deletes', 'commands']);

/** @param {() => Figures} figures @returns {string} in Prometheus' text format */
export function renderReplicationMetrics(figures) {
  const now = figures();
  /** @type {Metric[]} */
  const metrics = [
    {
      name: 'oplog_replicator_operations_total', help: 'Operations applied to the target.', type: 'counter',
      read: () => APPLIED.map((kind) => ({ labels: { kind }, value: now[kind] })),
    },
    {
      name: 'oplog_replicator_skipped_total', help: 'Entries of the oplog that were not applied.', type: 'counter',
      read: () => SKIPPED.map((reason) => ({ labels: { reason }, value: now[reason] })),
    },
    { name: 'oplog_replicator_batches_total', help: 'Batches written.', type: 'counter', read: one(() => now.batches) },
    { name: 'oplog_replicator_bytes_total', help: 'Bytes of these batches.', type: 'counter', read: one(() => now.bytes) },
    {
      name: 'oplog_replicator_backlog', help: 'Operations that were read and are not yet written.', type: 'gauge',
      read: one(() => now.backlog),
    },
    {
      name: 'oplog_replicator_lag_seconds', help: 'Time since the source executed the oldest operation not yet written.', type: 'gauge',
      read: one(() => now.lagMs / 1000),
    },
    {
      name: 'oplog_replicator_copying', help: '1 until the copy of what was there is complete, then 0.', type: 'gauge',
      read: one(() => Number(now.copy !== null && now.copy.phase !== 'done')),
    },
    {
      name: 'oplog_replicator_copied_bytes', help: 'Bytes copied, of what was there at the beginning.', type: 'gauge',
      read: one(() => now.copy?.bytes ?? 0),
    },
    {
      name: 'oplog_replicator_copy_size_bytes', help: 'Bytes to copy, about.', type: 'gauge',
      read: one(() => now.copy?.totalBytes ?? 0),
    },
  ];
  return renderMetrics(metrics);
}

/**
 * Serves `/metrics` on loopback.
 * @param {() => Figures} figures
 * @param {number} port 0 takes any free one
 */
export function openMetrics(figures, port) {
  return openLoopbackServer((path, res) => (path === '/metrics'
    ? sendText(res, renderReplicationMetrics(figures), METRICS_TYPE)
    : sendProblem(res, 404, 'Not Found', 'only /metrics')), { port, option: '--metrics-port' });
}
