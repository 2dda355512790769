import { sendProblem } from '../http/problem.js';

/**
 * `GET /livez`: the process runs. It ignores MongoDB, so that a database outage restarts no app.
 * @param {import('express').Request} req
 * @param {import('express').Response} res
 */
export function answerLive(req, res) {
  res.json({ status: 'live' });
}

/**
 * `GET /readyz`: MongoDB is reachable, according to the driver's monitoring connections. It sends no query, so it never
 * waits for the pool or for a server that hangs.
 * @param {Pick<import('./app-context.js').AppContext, 'database'>} context
 * @returns {import('express').RequestHandler}
 */
export function createReadyRoute({ database }) {
  return (req, res) => {
    const { reachable, reason } = database.status();
    if (reachable) res.json({ status: 'ready' });
    else sendProblem(res, { status: 503, title: 'MongoDB is unreachable', detail: String(reason) });
  };
}
