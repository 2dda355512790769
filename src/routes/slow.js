/**
 * `GET /slow`: the administrator's query, the bus.
 * @param {Pick<import('../app.js').Parts, 'runSlowQuery' | 'slowMs'>} parts
 * @returns {import('express').RequestHandler}
 */
export function createSlowRoute({ runSlowQuery, slowMs }) {
  return async (req, res) => {
    await runSlowQuery(slowMs);
    res.json({ query: 'slow', serverMs: slowMs });
  };
}
