import { createLogger } from '../../src/logger.js';
import { createRoll, openState } from '../../src/classroom/class-roll.js';
import { openClass } from '../../src/classroom/class-server.js';
import { cleanUp } from '../support/cleanup.js';
import { LESSONS } from './sample-lessons.js';

/** @import { ClassState } from '../../src/classroom/class-roll.js' */

/**
 * A class on a free loopback port, closed with the test file.
 * @param {object} [options]
 * @param {ClassState} [options.state]
 * @param {string} [options.host]
 * @param {string} [options.token]
 * @param {number} [options.stuckAfterMs]
 */
export async function serveClass({ state = openState(LESSONS), host = '127.0.0.1', token, stuckAfterMs = 300_000 } = {}) {
  /** @type {() => void} */
  let change = () => {};
  const roll = createRoll(state, LESSONS, () => change());
  const room = await openClass(roll, { lessons: LESSONS, host, port: 0, token, stuckAfterMs, log: createLogger('silent') });
  ({ change } = room);
  cleanUp(room.close);
  const join = `${room.url}/join/${state.code}`;
  return { ...room, state, roll, join, learn: (/** @type {string} */ name) => joinClass(join, name) };
}

/** @param {string} join link of a class @param {string} name */
export async function joinClass(join, name) {
  const { answer } = await post(`${join}/learners`, { name });
  return {
    name: answer.name,
    /** @param {object} report */
    report: (report) => post(`${join}/reports`, { learner: answer.learner, lesson: '01-first', ...report }),
  };
}

/**
 * @param {string} url
 * @param {unknown} body
 * @param {Record<string, string>} [headers]
 * @returns {Promise<{ status: number, type: string | null, answer: any }>}
 */
export async function post(url, body, headers = {}) {
  const response = await fetch(url, {
    method: 'POST', headers: { 'Content-Type': 'application/json', ...headers }, body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: response.status, type: response.headers.get('Content-Type'), answer: await response.json() };
}

/** Post as the teacher's own page does. @param {string} url of the class @param {string} path @param {object} [body] @param {string} [token] */
export function teach(url, path, body = {}, token = undefined) {
  return post(`${url}${path}`, body, { Origin: url, ...(token && { Authorization: `Bearer ${token}` }) });
}

/**
 * @param {string} url of events
 * @param {Record<string, string>} [headers]
 * @returns {AsyncGenerator<any, void>} their data
 */
export async function* readClassEvents(url, headers = {}) {
  const { body } = await fetch(url, { headers });
  let rest = '';
  for await (const text of /** @type {ReadableStream} */ (body).pipeThrough(new TextDecoderStream())) {
    const events = (rest + text).split('\n\n');
    rest = String(events.pop());
    for (const event of events) {
      const [, data] = event.match(/^data: (.+)$/m) ?? [];
      if (data) yield JSON.parse(data);
    }
  }
}

/** The first data for which something holds. @param {AsyncGenerator<any, void>} events @param {(data: any) => boolean} holds */
export async function firstWhere(events, holds) {
  for (;;) {
    // A loop over the generator would end it.
    const { value, done } = await events.next();
    if (done) throw new Error('the events ended');
    if (holds(value)) return value;
  }
}
