/**
 * `GET /slow`: the administrator's query, the bus.
 * @param {Pick<import('../app.js').Parts, 'database' | 'load'>} parts
 * @returns {import('express').RequestHandler}
 */
export function createSlowRoute({ database, load }) {
  return async (req, res) => {
    const { slowMs } = load;
    await database.use(({ runSlowQuery }) => runSlowQuery(slowMs));
    res.json({ query: 'slow', serverMs: slowMs });
  };
}
