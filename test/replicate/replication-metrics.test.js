import { expect, test } from '@jest/globals';
import parsePrometheusTextFormat from 'parse-prometheus-text-format';
import { openMetrics } from '../../src/replicate/replication-metrics.js';

/** @import { Figures } from 'oplog-replicator' */

/** @type {Figures} */
const FIGURES = {
  ops: 10, inserts: 4, updates: 3, deletes: 2, commands: 1, noops: 5, migrations: 0, excluded: 6, internal: 0, unsupported: 7,
  batches: 8, bytes: 900, backlog: 3, backlogByWorker: [3], lagMs: 1500, tookMs: 1,
  copy: { phase: 'copying', documents: 1, bytes: 50, totalDocuments: 2, totalBytes: 100, indexes: 0, totalIndexes: 0 },
};

test('/metrics is what Prometheus reads', async () => {
  const { url, close } = await openMetrics(() => FIGURES, 0);
  try {
    const response = await fetch(`${url}metrics`);
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    /** @type {any[]} */
    const metrics = parsePrometheusTextFormat(await response.text());
    const values = Object.fromEntries(metrics.flatMap(({ name, metrics: samples }) => samples.map(
      (/** @type {any} */ { labels, value }) => [[name, ...Object.values(labels ?? {})].join(' '), Number(value)])));
    expect(values).toMatchObject({
      'oplog_replicator_operations_total inserts': 4, 'oplog_replicator_operations_total commands': 1,
      'oplog_replicator_skipped_total unsupported': 7, oplog_replicator_backlog: 3, oplog_replicator_lag_seconds: 1.5,
      oplog_replicator_copying: 1, oplog_replicator_copied_bytes: 50, oplog_replicator_copy_size_bytes: 100,
    });
    expect((await fetch(`${url}other`)).status).toBe(404);
    expect((await fetch(`${url}metrics`, { method: 'POST' })).status).toBe(405);
    await expect(openMetrics(() => FIGURES, Number(new URL(url).port))).rejects.toThrow(
      /^--metrics-port \d+ can't be used: something already listens there$/);
  } finally {
    close();
  }
});
