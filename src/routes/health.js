import { sendProblem } from '../problem.js';

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
 * `GET /readyz`: MongoDB is there. It never waits for a connection of the pool.
 * @param {Pick<import('../app.js').Parts, 'database'>} parts
 * @returns {import('express').RequestHandler}
 */
export function createReadyRoute({ database }) {
  return (req, res) => {
    if (database.isReady()) res.json({ status: 'ready' });
    else sendProblem(res, { status: 503, title: 'MongoDB is unreachable' });
  };
}
