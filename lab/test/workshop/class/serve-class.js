import { spawn } from 'node:child_process';
import path from 'node:path';
import { cleanUp } from 'test-support/cleanup.js';
import { until } from 'test-support/waiting.js';
import { createLogger } from '../../../../src/base/logger.js';
import { createRoll, openState } from '../../../workshop/class/class-roll.js';
import { openClass } from '../../../workshop/class/class-server.js';
import { cleanEnvironment } from '../../../../test/support/start-app.js';
import { LESSONS } from './sample-lessons.js';

/** @import { ClassState } from '../../../workshop/class/class-roll.js' */

/**
 * A class on a free loopback port, closed with the test file.
 * @param {object} [options]
 * @param {import('../../../workshop/class/class-roll.js').ClassLesson[]} [options.lessons]
 * @param {ClassState} [options.state]
 * @param {string} [options.host]
 * @param {string} [options.token]
 * @param {number} [options.stuckAfterMs]
 * @param {number} [options.share]
 */
export async function serveClass({
  lessons = LESSONS,
  state = openState(lessons),
  host = '127.0.0.1',
  token,
  stuckAfterMs = 300_000,
  share = 50,
} = {}) {
  /** @type {() => void} */
  let change = () => {};
  const roll = createRoll(state, lessons, () => change());
  const room = await openClass(roll, {
    lessons,
    host,
    port: 0,
    token,
    stuckAfterMs,
    share,
    log: createLogger('silent'),
  });
  ({ change } = room);
  cleanUp(room.close);
  const join = `${room.url}/join/${state.code}`;
  return { ...room, state, roll, join, learn: (/** @type {string} */ name) => joinClass(join, name) };
}

/**
 * Runs `pool-lab class` until it says how to join.
 * @param {string[]} args
 * @param {{ cwd: string, env: Record<string, string> }} options
 */
export async function spawnClass(args, { cwd, env }) {
  const child = spawn(process.execPath, [path.resolve('lab/cli.js'), 'class', ...args], {
    cwd,
    env: cleanEnvironment(env),
  });
  cleanUp(() => child.kill('SIGKILL'));
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      said += text;
    });
  await until('it says how to join', () => said.includes('Press Ctrl-C'));
  const [join, url, code] = /** @type {RegExpExecArray} */ (/(http:\S+)\/join\/(\w+)/.exec(said));
  return { child, join, url, code, said: () => said };
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
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: response.status, type: response.headers.get('Content-Type'), answer: await response.json() };
}

/**
 * Posts as the teacher's own page does.
 * @param {string} url of the class
 * @param {string} path
 * @param {object} [body]
 * @param {string} [token]
 */
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

/**
 * The first data for which something holds.
 * @param {AsyncGenerator<any, void>} events
 * @param {(data: any) => boolean} holds
 */
export async function firstWhere(events, holds) {
  for (;;) {
    // A loop over the generator would end it.
    const { value, done } = await events.next();
    if (done) throw new Error('the events ended');
    if (holds(value)) return value;
  }
}
