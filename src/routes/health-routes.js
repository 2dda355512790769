import { sendProblem } from '../http/problem.js';

/**
 * `GET /livez`: the process runs. It ignores MongoDB, so that a database outage restarts no app.
 * @returns {import('express').RequestHandler}
 */
export function createLiveRoute() {
  return (req, res) => {
    res.json({ status: 'live' });
  };
}

/**
 * `GET /readyz`: MongoDB is reachable, according to the driver's monitoring connections. It sends no query, so it never
 * waits for the pool or for a server that hangs.
 * @param {Pick<import('./parts.js').Parts, 'database'>} parts
 * @returns {import('express').RequestHandler}
 */
export function createReadyRoute({ database }) {
  return (req, res) => {
    const { reachable, reason } = database.status();
    if (reachable) res.json({ status: 'ready' });
    else sendProblem(res, { status: 503, title: 'MongoDB is unreachable', detail: String(reason) });
  };
}
