import { pickEmail } from '../mongo/demo-data.js';

/** @import { RequestHandler } from 'express' */
/** @import { AppContext } from './app-context.js' */

/**
 * `GET /slow`: the administrator's query, the bus. It takes as long as `slowMs` says.
 * @param {Pick<AppContext, 'database' | 'load' | 'slowLimit'>} context
 * @returns {RequestHandler}
 */
export function createSlowRoute({ database, load, slowLimit }) {
  return async (req, res) => {
    const { slowMs } = load;
    const { signal } = res.locals;
    await slowLimit.run(() => database.slow.use(({ runSlowQuery }) => runSlowQuery(slowMs, { signal })));
    res.json({ query: 'slow', serverMs: slowMs });
  };
}

/**
 * `GET /fast`: a customer's query, the Ferrari. It finds one document by an index.
 * @param {Pick<AppContext, 'database'>} context
 * @returns {RequestHandler}
 */
export function createFastRoute({ database }) {
  return async (req, res) => {
    const customer = await database.main.use(({ customers }) =>
      customers.findOne({ email: pickEmail() }, { signal: res.locals.signal }),
    );
    res.json({ query: 'fast', customer });
  };
}
