import express from 'express';
import { createStreams, namesLoopback } from 'mongodb-pool-monitor/live';
import { requireToken } from '../http/controls-token.js';
import { createExpress } from '../http/create-express.js';
import { readJsonBody } from '../http/json-body.js';
import { listen } from '../http/listen.js';
import { answerErrors, clientError, problemOf, sendProblem } from '../http/problem.js';
import { requireSameOrigin } from '../http/same-origin.js';
import { listAddresses } from './addresses.js';
import { sendPageFile } from './class-pages.js';
import { describeLesson, describeRoom } from './class-view.js';
import { readLessonName, readName, readReport } from './report-body.js';
import { renderRoom } from './room-page.js';

/** @import { ClassLesson, Roll } from './class-roll.js' */

/** Changes that come together are sent once. */
const SEND_AFTER_MS = 200;
/** Time alone can make somebody stuck. */
const TICK_MS = 10_000;
/** Two pages per learner, and some for the teacher. */
const MOST_STREAMS = 450;
const BODY_LIMIT = '4kb';

/**
 * The pages and the HTTP interface of a class.
 *
 * - `/` is the teacher's page, for the projector; `/class/...` is its interface, which needs the token if there is one
 * - `/join/CODE` is the learners' page; `/join/CODE/...` is what the page and `pool-lab workshop` send to
 *
 * @param {Roll} roll
 * @param {object} options
 * @param {ClassLesson[]} options.lessons
 * @param {string} options.host
 * @param {number} options.port
 * @param {string} [options.token] of the teacher; only a class on loopback may have none
 * @param {number} options.stuckAfterMs
 * @param {import('pino').Logger} options.log
 * @returns {Promise<{ url: string, change: () => void, close: () => Promise<void> }>} change: call it after each change of the
 *   roll
 */
export async function openClass(roll, { lessons, host, port, token, stuckAfterMs, log }) {
  const { state } = roll;
  let at = '';
  const readRoom = () => ({ at, ...describeRoom(state, lessons, { now: Date.now(), stuckAfterMs }) });
  const readLesson = () => describeLesson(state, lessons, state.current);
  const toTeacher = createStreams((send) => send('room', readRoom()));
  const toLearners = createStreams((send) => send('lesson', readLesson()));
  const sendAll = () => {
    toTeacher.send('room', readRoom());
    toLearners.send('lesson', readLesson());
  };
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const change = () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      sendAll();
    }, SEND_AFTER_MS);
  };
  const ticker = setInterval(() => toTeacher.send('room', readRoom()), TICK_MS);

  const app = createExpress();
  app.use(requireOwnHost(token !== undefined));
  app.use('/class', createTeacherRoutes(roll, { lessons, token, streams: toTeacher }));
  app.use('/join/:code', createLearnerRoutes(roll, toLearners));
  app.use(sendPageFile);
  app.use((req, res) => sendProblem(res, problemOf(404)));
  app.use(answerErrors(log));
  const server = await listen(app, { host, port });
  at = `${listAddresses(host)[0]}:${new URL(server.url).port}`;
  return {
    url: server.url,
    change,
    async close() {
      clearInterval(ticker);
      clearTimeout(timer);
      toTeacher.close();
      toLearners.close();
      await server.close();
    },
  };
}

/**
 * @param {Roll} roll
 * @param {{ lessons: ClassLesson[], token?: string, streams: ReturnType<typeof createStreams> }} options
 */
function createTeacherRoutes(roll, { lessons, token, streams }) {
  const router = express.Router();
  const isOwnPage = requireSameOrigin({ enabled: true, anyHost: token !== undefined });
  router.use(requireToken(token));
  router.get('/events', limitStreams(streams), (req, res) => streams.open(req, res));
  router.get('/result', (req, res) => {
    res.type('html').set('Cache-Control', 'no-store').send(renderRoom(roll.state, lessons));
  });
  router.post('/lesson', isOwnPage, ...readJsonBody(BODY_LIMIT), (req, res) => {
    roll.show(readLessonName(req.body));
    res.json({});
  });
  router.post('/reveal', isOwnPage, (req, res) => {
    roll.reveal();
    res.json({});
  });
  return router;
}

/** @param {Roll} roll @param {ReturnType<typeof createStreams>} streams */
function createLearnerRoutes(roll, streams) {
  const router = express.Router({ mergeParams: true });
  router.use((req, res, next) => {
    const { code } = /** @type {{ code?: string }} */ (req.params);
    // The page itself says that the code is wrong.
    if (req.path === '/' || String(code).toUpperCase() === roll.state.code) return next();
    throw clientError(404, 'there is no class with this code');
  });
  router.get('/events', limitStreams(streams), (req, res) => streams.open(req, res));
  router.post('/learners', ...readJsonBody(BODY_LIMIT), (req, res) => {
    const { id, name } = roll.join(readName(req.body));
    res.status(201).json({ learner: id, name });
  });
  router.post('/reports', ...readJsonBody(BODY_LIMIT), (req, res) => {
    const { guess } = roll.note(readReport(req.body));
    res.json({ guess: guess ?? null });
  });
  return router;
}

/** @param {ReturnType<typeof createStreams>} streams @returns {import('express').RequestHandler} */
function limitStreams(streams) {
  return (req, res, next) => {
    if (streams.count < MOST_STREAMS) return next();
    sendProblem(res, { status: 503, title: 'Too many pages are open' });
  };
}

/** Another site can point its own name to loopback. @param {boolean} anyHost @returns {import('express').RequestHandler} */
function requireOwnHost(anyHost) {
  return (req, res, next) => {
    if (anyHost || namesLoopback(req.get('Host'))) return next();
    sendProblem(res, { status: 403, title: 'Forbidden', detail: 'only under the name of this machine: 127.0.0.1 or localhost' });
  };
}
