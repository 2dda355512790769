/**
 * `GET /slow`: the administrator's query, the bus. It takes as long as `slowMs` says.
 * @param {Pick<import('./parts.js').Parts, 'database' | 'load' | 'slowLimit'>} parts
 * @returns {import('express').RequestHandler}
 */
export function createSlowRoute({ database, load, slowLimit }) {
  return async (req, res) => {
    const { slowMs } = load;
    const { signal } = res.locals;
    await slowLimit.run(() => database.slow.use(({ runSlowQuery }) => runSlowQuery(slowMs, { signal })));
    res.json({ query: 'slow', serverMs: slowMs });
  };
}
