import { pickEmail } from '../mongo/demo-data.js';

/**
 * `GET /fast`: a customer's query, the Ferrari. It finds one document by an index.
 * @param {Pick<import('./parts.js').Parts, 'database'>} parts
 * @returns {import('express').RequestHandler}
 */
export function createFastRoute({ database }) {
  return async (req, res) => {
    const customer = await database.main.use(({ customers }) => (
      customers.findOne({ email: pickEmail() }, { signal: res.locals.signal })));
    res.json({ query: 'fast', customer });
  };
}
