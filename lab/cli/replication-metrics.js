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
  const isCopying = now.copy !== null && now.copy.phase !== 'done';
  return renderMetrics([
    createMetric('operations_total', 'Operations applied to the target.', listSamples('kind', APPLIED, now)),
    createMetric('skipped_total', 'Entries of the oplog that were not applied.', listSamples('reason', SKIPPED, now)),
    createMetric('batches_total', 'Batches written.', now.batches),
    createMetric('bytes_total', 'Bytes of these batches.', now.bytes),
    createMetric('backlog', 'Operations that were read and are not yet written.', now.backlog),
    createMetric(
      'lag_seconds',
      'Time since the source executed the oldest operation not yet written.',
      now.lagMs / 1000,
    ),
    createMetric('copying', '1 until the copy of what was there is complete, then 0.', Number(isCopying)),
    createMetric('copied_bytes', 'Bytes copied, of what was there at the beginning.', now.copy?.bytes ?? 0),
    createMetric('copy_size_bytes', 'Bytes to copy, about.', now.copy?.totalBytes ?? 0),
  ]);
}

/** @param {string} label @param {readonly (keyof Figures)[]} values of it @param {Figures} figures */
function listSamples(label, values, figures) {
  return values.map((each) => ({ labels: { [label]: each }, value: Number(figures[each]) }));
}

/**
 * @param {string} name
 * @param {string} help
 * @param {number | ReturnType<typeof listSamples>} value
 * @returns {Metric}
 */
function createMetric(name, help, value) {
  const samples = typeof value === 'number' ? [{ labels: {}, value }] : value;
  const type = name.endsWith('_total') ? 'counter' : 'gauge';
  return { name: `oplog_replicator_${name}`, help, type, read: () => samples };
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
