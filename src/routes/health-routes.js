import { sendProblem } from '../http/problem.js';

/**
 * `GET /livez`: the process answers. It never touches MongoDB, so that a database outage restarts no app.
 * @returns {import('express').RequestHandler}
 */
export function createLiveRoute() {
  return (req, res) => {
    res.json({ status: 'live' });
  };
}

/**
 * `GET /readyz`: MongoDB is there, as far as the driver's own connections tell. It asks nothing, and so never waits
 * for a connection of the pool, or for a server that hangs.
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
