/**
 * `GET /slow`: the administrator's query, the bus.
 * @param {Pick<import('../app.js').Parts, 'database' | 'load' | 'slowCap'>} parts
 * @returns {import('express').RequestHandler}
 */
export function createSlowRoute({ database, load, slowCap }) {
  return async (req, res) => {
    const { slowMs } = load;
    await slowCap.run(() => database.slow.use(({ runSlowQuery }) => runSlowQuery(slowMs)));
    res.json({ query: 'slow', serverMs: slowMs });
  };
}
