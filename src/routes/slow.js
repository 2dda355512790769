/**
 * `GET /slow`: the administrator's query, the bus.
 * @param {Pick<import('../app.js').Parts, 'database' | 'load' | 'slowCap'>} parts
 * @returns {import('express').RequestHandler}
 */
export function createSlowRoute({ database, load, slowCap }) {
  return async (req, res) => {
    const { slowMs } = load;
    const { signal } = res.locals;
    await slowCap.run(() => database.slow.use(({ runSlowQuery }) => runSlowQuery(slowMs, { signal })));
    res.json({ query: 'slow', serverMs: slowMs });
  };
}
