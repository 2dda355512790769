import { existsSync, readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import path from 'node:path';
import express from 'express';
import { createStreams, namesLoopback } from 'mongodb-pool-page';
import { readJsonBody, requireSameOrigin, requireToken } from '../../../src/http/request-guards.js';
import { createExpress } from '../../../src/http/create-express.js';
import { listen } from '../../../src/http/listen.js';
import { answerErrors, clientError, problemOf, sendProblem } from '../../../src/http/problem.js';
import { CHART_JS, CHART_TOOLS } from '../../report/document.js';
import { createAddressLimits } from './address-limits.js';
import { describeRoom } from './class-view.js';
import { describeLesson } from './lesson-view.js';
import { readDoor, readLearnerAction, readLearner, readLessonName, readReport } from './report-body.js';
import { renderRoom } from './room-page.js';

/** @import { ClassLesson, Roll } from './class-roll.js' */

const OWN = new URL('browser/', import.meta.url);

/** Files of another name, or from elsewhere. @type {Record<string, URL>} */
const FILES = {
  '/': new URL('class.html', OWN),
  '/join': new URL('learner.html', OWN),
  '/chart.js': CHART_JS,
  '/report/browser/chart-tools.js': CHART_TOOLS,
  '/icon.svg': new URL(import.meta.resolve('mongodb-pool-page/page/icon.svg')),
  '/look.css': new URL(import.meta.resolve('mongodb-pool-page/universal/look.css')),
};

/** @param {string} name a path on this server @returns {URL | undefined} a file, which may not exist */
function findFile(name) {
  if (Object.hasOwn(FILES, name)) return FILES[name];
  if (/^\/[\w-]+\.(css|js)$/.test(name)) return new URL(`.${name}`, OWN);
  // The tunnel, and what it imports.
  const isOfPage = /^\/(page|universal)\/[\w-]+\.js$/.test(name);
  return isOfPage ? new URL(import.meta.resolve(`mongodb-pool-page${name}`)) : undefined;
}

/** @type {Map<string, string>} */
const texts = new Map();

/** Reads a file of the pages, once. @param {string} name a path on this server @returns {string | undefined} */
function readPageFile(name) {
  const known = texts.get(name);
  if (known !== undefined) return known;
  const file = findFile(name);
  if (!file || !existsSync(file)) return undefined;
  // Browsers don't know packages by name.
  const text = readFileSync(file, 'utf8').replaceAll("'mongodb-pool-page/", "'/");
  texts.set(name, text);
  return text;
}

/** Sends the files of both pages, which contain no data. @type {import('express').RequestHandler} */
const sendPageFile = (req, res, next) => {
  // The learners' page is the same for each code.
  const name = /^\/join\/[^/]*$/.test(req.path) ? '/join' : req.path;
  const text = ['GET', 'HEAD'].includes(req.method) ? readPageFile(name) : undefined;
  if (text === undefined) return next();
  res
    .type(path.extname(name) || 'html')
    .set('Cache-Control', 'no-cache')
    .send(text);
};

/** Changes that come together are sent once. */
const SEND_AFTER_MS = 200;
/** A learner can become stuck without sending anything. */
const TICK_MS = 10_000;
/** Open pages of the teacher. Those of learners have limits of their own. */
const MAX_STREAMS = 50;
const BODY_LIMIT = '4kb';
/** Hosts that stand for all addresses of this machine. */
const EVERYWHERE = ['0.0.0.0', '::'];

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
 * @param {number} options.share of the class that one address may take, in percent
 * @param {import('pino').Logger} options.log
 * @returns {Promise<{ url: string, change: () => void, close: () => Promise<void> }>} change: call it after each change
 *   of the roll
 */
export async function openClass(roll, { lessons, host, port, token, stuckAfterMs, share, log }) {
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

  const app = createExpress();
  app.use(requireOwnHost(token !== undefined));
  app.use('/class', createTeacherRoutes(roll, { lessons, token, streams: toTeacher }));
  app.use('/join/:code', createLearnerRoutes(roll, toLearners, share));
  app.use(sendPageFile);
  app.use((req, res) => sendProblem(res, problemOf(404)));
  app.use(answerErrors(log));
  const server = await listen(app, { host, port });
  const ticker = setInterval(() => toTeacher.send('room', readRoom()), TICK_MS);
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
  router.get('/events', (req, res) => {
    if (streams.count < MAX_STREAMS) streams.open(req, res);
    else sendProblem(res, { status: 503, title: 'Too many pages are open' });
  });
  router.get('/result', (req, res) => {
    res.type('html').set('Cache-Control', 'no-store').send(renderRoom(roll.state, lessons));
  });
  /** @type {Record<string, (body: unknown) => void>} */
  const changes = {
    lesson: (body) => roll.show(readLessonName(body)),
    reveal: () => roll.reveal(),
    door: (body) => roll.setDoor(readDoor(body)),
    learner(body) {
      const { name, action } = readLearnerAction(body);
      roll[action](name);
    },
  };
  for (const [name, change] of Object.entries(changes)) {
    router.post(`/${name}`, isOwnPage, ...readJsonBody(BODY_LIMIT), (req, res) => {
      change(req.body);
      res.json({});
    });
  }
  return router;
}

/** @param {Roll} roll @param {ReturnType<typeof createStreams>} streams @param {number} share see openClass */
function createLearnerRoutes(roll, streams, share) {
  const router = express.Router({ mergeParams: true });
  const limits = createAddressLimits({ share, isHere: (id) => roll.find(id) !== undefined });
  const addressOf = (/** @type {import('express').Request} */ { socket }) => String(socket.remoteAddress);
  router.use((req, res, next) => {
    const { code } = /** @type {{ code?: string }} */ (req.params);
    // For a wrong code, the page loads and says so.
    if (req.path === '/' || String(code).toUpperCase() === roll.state.code) return next();
    throw clientError(404, 'there is no class with this code');
  });
  router.get('/events', (req, res) => {
    limits.openPage(addressOf(req), res);
    streams.open(req, res);
  });
  router.post('/learners', ...readJsonBody(BODY_LIMIT), (req, res) => {
    const { name: asked, onPhone } = readLearner(req.body);
    const { id, name, waits } = limits.join(addressOf(req), performance.now(), () => roll.join(asked, onPhone));
    res.status(201).json({ learner: id, name, waits });
  });
  router.post('/reports', ...readJsonBody(BODY_LIMIT), (req, res) => {
    const { guess } = roll.note(readReport(req.body));
    res.json({ guess: guess ?? null });
  });
  return router;
}

/**
 * Refuses other host names: a hostile site can point its name to loopback.
 * @param {boolean} anyHost
 * @returns {import('express').RequestHandler}
 */
function requireOwnHost(anyHost) {
  return (req, res, next) => {
    if (anyHost || namesLoopback(req.get('Host'))) return next();
    const detail = 'only under the name of this machine: 127.0.0.1 or localhost';
    sendProblem(res, { status: 403, title: 'Forbidden', detail });
  };
}

/** @param {string} host that a class listens on @returns {string[]} hosts for the URL that others open */
export function listAddresses(host) {
  if (!EVERYWHERE.includes(host)) return [bracket(host)];
  const all = Object.values(networkInterfaces()).flatMap((addresses = []) =>
    addresses.filter(({ family, internal }) => family === 'IPv4' && !internal).map(({ address }) => address),
  );
  return all.length > 0 ? all : ['127.0.0.1'];
}

/** The address at which the teacher's own laptop reaches the class. @param {string} host */
export function ownAddress(host) {
  return EVERYWHERE.includes(host) ? '127.0.0.1' : bracket(host);
}

/** @param {string} host */
function bracket(host) {
  return host.includes(':') ? `[${host}]` : host;
}
