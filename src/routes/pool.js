/**
 * `GET /pool`: the pool in figures.
 * @param {Pick<import('../app.js').Parts, 'client' | 'serverVersion' | 'slowMs'>} parts
 * @returns {import('express').RequestHandler}
 */
export function createPoolRoute({ client, serverVersion, slowMs }) {
  const { maxPoolSize, minPoolSize } = client.options;
  return (req, res) => {
    res.json({ max: maxPoolSize, min: minPoolSize, slowMs, serverVersion });
  };
}
