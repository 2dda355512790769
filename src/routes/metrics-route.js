/**
 * `GET /metrics`, for Prometheus.
 * @param {Pick<import('./parts.js').Parts, 'metrics'>} parts
 * @returns {import('express').RequestHandler}
 */
export function createMetricsRoute({ metrics }) {
  return async (req, res) => {
    res.type(metrics.contentType).send(await metrics.render());
  };
}
