import { EventEmitter, once } from 'node:events';
import { readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { createRandom, simulate } from 'mongodb-pool-predictor';
import { cleanUp, scratchFolder } from 'test-support/cleanup.js';
import { until } from 'test-support/waiting.js';
import { hashSource } from '../../../report/document.js';
import { createAddressLimits } from '../../../workshop/class/address-limits.js';
import { describeAllowed, describeOwnGuess, readGuess } from '../../../workshop/class/browser/own-guess.js';
import { drawQrCode } from '../../../workshop/class/browser/qr-code.js';
import { describeRoom } from '../../../workshop/class/class-view.js';
import { describeLesson } from '../../../workshop/class/lesson-view.js';
import { FIGURES, LESSONS, QR_CODE } from './sample-lessons.js';
import { firstWhere, post, readClassEvents, serveClass, teach } from './serve-class.js';
import { createStateFile } from '../../../workshop/class/class-file.js';
import { createRoll, openState } from '../../../workshop/class/class-roll.js';
import { simulateAnswer } from '../../../workshop/simulate-answer.js';
import { readLessons } from '../../../workshop/lessons.js';

const STUCK_AFTER_MS = 300_000;

/**
 * @param {import('../../../workshop/class/class-roll.js').ClassState} state
 * @param {number} [afterMs] how long after the last progress
 */
function describeRoomOf(state, afterMs = 0) {
  const now = Math.max(state.currentAt, ...state.learners.map(({ progressAt }) => progressAt)) + afterMs;
  return describeRoom(state, LESSONS, { now, stuckAfterMs: STUCK_AFTER_MS });
}

/** @param {number} status */
const refusal = (status) => ({ status, type: 'application/problem+json; charset=utf-8' });

test('guesses meet on the page at once; what was measured joins them with the reveal', async () => {
  const { url, learn } = await serveClass();
  const events = readClassEvents(`${url}/class/events`);
  const ada = await learn('Ada');
  await ada.report({ guess: 12 });
  const before = await firstWhere(events, ({ lesson }) => lesson.guessed === 1);
  expect(before).toMatchObject({
    people: [{ name: 'Ada', state: 'guessed' }],
    lesson: { guesses: [12], isRevealed: false },
  });
  expect(before.lesson.why).toBeUndefined();
  expect(before.lesson.replay).toBeUndefined();

  await ada.report({ verdict: true, figures: { measured: 20, points: [[1, 21_000]] } });
  expect((await firstWhere(events, ({ lesson }) => lesson.checked === 1)).lesson).toMatchObject({
    measured: [],
    points: [],
  });
  expect(await teach(url, '/class/reveal')).toMatchObject({ status: 200 });
  expect(await firstWhere(events, ({ lesson }) => lesson.isRevealed)).toMatchObject({
    lesson: {
      why: 'Four wait for the first.',
      replay: { lanes: 1, trips: [{ route: '/slow' }, { startedAtMs: null }, { route: '/fast' }] },
      guesses: [12],
      measured: [20],
      points: [[1, 21_000]],
      answer: { value: 20, words: '20 s', mark: '20 s', isMeasured: true },
      results: [{ guess: 12, points: 1, place: 1, isTied: false }],
    },
    people: [{ state: 'done', done: 1 }],
  });
});

test('the tunnel replays what the lesson says about waits and refusals', async () => {
  const answers = new Map();
  for (const { name, guess } of await readLessons())
    if (guess?.replay) answers.set(name, (await simulateAnswer(guess.replay)).trips);
  const waitsOf = (/** @type {string} */ name, /** @type {string} */ route) =>
    answers
      .get(name)
      .filter((/** @type {any} */ trip) => trip.route === route && trip.startedAtMs !== null)
      .map((/** @type {any} */ { arrivedAtMs, startedAtMs }) => Math.round((startedAtMs - arrivedAtMs) / 1000));
  expect(waitsOf('01-what-a-pool-is', '/slow')).toEqual([0, 0, 3, 3, 6]);
  expect(Math.max(...waitsOf('02-one-lane', '/fast'))).toBe(20);
  expect(new Set(waitsOf('03-find-the-knee', '/slow'))).toEqual(new Set([0]));
  expect(waitsOf('04-predict-then-reveal', '/slow').at(-1)).toBe(6);
  const refused = answers.get('05-wait-queue').filter((/** @type {any} */ { outcome }) => outcome !== 'ok');
  expect(refused).toHaveLength(7);
  expect(new Set(waitsOf('15-your-own-app', '/fast'))).toEqual(new Set([0]));
});

test('the answers that a class calculates are those of the lessons', async () => {
  const answers = (await readLessons()).map(async ({ guess }) => guess?.answer?.());
  const calculated = (await Promise.all(answers)).map((answer) => answer && Number(answer.toPrecision(3)));
  const none = undefined;
  expect(calculated).toEqual([6, 20, 5, 11, 7, 120, none, 4, none, none, none, 950, none, none, 10]);
});

test('lesson 12: in the long run, simulated queries wait as long as is calculated', async () => {
  const lesson = (await readLessons()).find(({ name }) => name === '12-utilisation');
  const random = createRandom(1, 'arrivals');
  let atMs = 0;
  const arrivals = Array.from({ length: 300_000 }, () => {
    atMs -= (100 / 0.95) * Math.log(1 - random.uniform());
    return { route: '/slow', atMs };
  });
  const services = { '/slow': { kind: /** @type {const} */ ('fixed'), ms: 100 } };
  const { routes } = simulate({ arrivals, pool: { maxPoolSize: 1 }, services });
  expect((routes['/slow'].meanMs - 100) / Number(await lesson?.guess?.answer?.())).toBeCloseTo(1, 1);
});

/** A class of phones that has guessed the third lesson. @param {(number | undefined)[]} guesses */
async function guessOnPhones(guesses) {
  const room = await serveClass();
  await teach(room.url, '/class/lesson', { lesson: '03-third' });
  for (const [index, guess] of guesses.entries()) {
    const { answer } = await post(`${room.join}/learners`, { name: `Phone ${index}`, onPhone: true });
    const report = { learner: answer.learner, lesson: '03-third', guess };
    if (guess !== undefined) await post(`${room.join}/reports`, report);
  }
  return { ...room, view: () => describeLesson(room.state, LESSONS, '03-third') };
}

test('six phones: points for all who guessed, without a measurement, and the whole result in one file', async () => {
  const { url, state, join, view } = await guessOnPhones([9, 6, 4, 2, 100, undefined]);
  expect(view()).toMatchObject({ answer: undefined, results: [], why: undefined });
  expect(describeRoomOf(state).people.every(({ allPoints }) => allPoints === undefined)).toBe(true);
  await teach(url, '/class/reveal');
  expect(await firstWhere(readClassEvents(`${join}/events`), () => true)).toMatchObject({
    answer: { value: 6, words: '6 s', mark: '6 s', isMeasured: false },
    results: [
      { guess: 6, points: 3, place: 1, isTied: false },
      { guess: 4, points: 2, place: 2, isTied: true },
      { guess: 9, points: 2, place: 2, isTied: true },
      { guess: 2, points: 1, place: 4, isTied: false },
      { guess: 100, points: 0, place: 5, isTied: false },
    ],
    guessChart: { found: 'The answer is 6 s. The closest guess was 6.' },
  });
  expect(describeRoomOf(state).people.map(({ name, points, allPoints }) => [name, points, allPoints])).toEqual([
    ['Phone 5', undefined, undefined],
    ['Phone 1', 3, 3],
    ['Phone 0', 2, 2],
    ['Phone 2', 2, 2],
    ['Phone 3', 1, 1],
    ['Phone 4', 0, 0],
  ]);
  const page = await (await fetch(`${url}/class/result`)).text();
  expect(page).toContain('The answer is 6 s. The closest guess was 6.');
  const cells = [...page.matchAll(/<th scope="row">(.*?)<\/th>\s*<td>(.*?)<\/td>\s*<td>(.*?)<\/td>/g)];
  expect(cells.map(([, ...row]) => row)).toEqual([
    ['Phone 0', '2', '2'],
    ['Phone 1', '3', '3'],
    ['Phone 2', '2', '2'],
    ['Phone 3', '1', '1'],
    ['Phone 4', '0', '0'],
    ['Phone 5', '', ''],
  ]);
});

test('what is calculated counts, and what the room measured stands beside it', async () => {
  const { url, learn, view } = await guessOnPhones([6, 7]);
  const ada = await learn('Ada');
  await ada.report({ lesson: '03-third', verdict: true, figures: { measured: 7, points: [] } });
  await teach(url, '/class/reveal');
  expect(view()).toMatchObject({
    answer: { value: 6, isMeasured: false },
    measured: [7],
    results: [{ guess: 6, place: 1 }, { guess: 7 }],
    guessChart: { found: 'The answer is 6 s. The room measured 7 s. The closest guess was 6.' },
  });
});

test('half and twice the answer are equally close, whatever their quotients are rounded to', () => {
  const lessons = [
    { name: '01-first', title: 'The first', unit: 'ms', answer: 949.9999999999992, tasks: ['01-first'] },
  ];
  const roll = createRoll(openState(lessons), lessons, () => {});
  for (const guess of [475, 1900]) roll.note({ learner: roll.join('Ada', true).id, lesson: '01-first', guess });
  roll.reveal();
  expect(describeLesson(roll.state, lessons, '01-first').results).toMatchObject([
    { guess: 475, place: 1, isTied: true },
    { guess: 1900, place: 1, isTied: true },
  ]);
});

test('without an answer and a measurement there are no points, and the page says why', async () => {
  const { url, learn, state } = await serveClass();
  await (await learn('Ada')).report({ guess: 9 });
  await teach(url, '/class/reveal');
  expect(describeLesson(state, LESSONS, '01-first')).toMatchObject({
    answer: undefined,
    results: [],
    guessChart: { found: 'This depends on the machine, and nobody has measured it yet.' },
  });
});

test('nobody on a phone is stuck after the guess or the reveal, as there is nothing left to do', async () => {
  const { url, state } = await guessOnPhones([9, undefined]);
  const states = () => describeRoomOf(state, STUCK_AFTER_MS + 1000).people.map(({ name, state: how }) => [name, how]);
  expect(states()).toEqual([
    ['Phone 1', 'stuck'],
    ['Phone 0', 'guessed'],
  ]);
  await teach(url, '/class/reveal');
  expect(states()).toEqual([
    ['Phone 1', 'working'],
    ['Phone 0', 'guessed'],
  ]);
});

describe('what a phone says of its own guess', () => {
  const lesson = { unit: 'seconds', answer: { value: 6, mark: '6 s', isMeasured: false }, guessed: 6 };
  const result = { guess: 9, points: 2, place: 2, isTied: false };

  test.each(
    /** @type {[number | undefined, object, string][]} */ ([
      [9, { results: [result] }, 'You said 9 s. It is 6 s: 2nd closest, 2 points.'],
      [9, { results: [{ ...result, isTied: true }] }, 'You said 9 s. It is 6 s: 2nd closest, with others, 2 points.'],
      [9, { results: [{ ...result, place: 1, points: 1 }] }, 'You said 9 s. It is 6 s: closest, 1 point.'],
      [9, { results: [{ ...result, place: 23, points: 0 }] }, 'You said 9 s. It is 6 s: 23rd closest, no points.'],
      [9, { results: [result], guessed: 1 }, 'You said 9 s. It is 6 s: 2 points.'],
      [undefined, { results: [result] }, 'It is 6 s. You made no guess.'],
      [9, { results: [] }, 'You said 9 s. It is 6 s.'],
      [9, { results: [], answer: undefined }, 'You said 9 s. Nobody has measured it yet.'],
      [undefined, { results: [], answer: undefined }, 'You made no guess.'],
      [
        6100,
        { results: [{ ...result, guess: 6100, place: 6, points: 0 }] },
        'You said 6,100 s. It is 6 s: 6th closest, no points. The question is in seconds: did you mean ms?',
      ],
      [
        4,
        {
          unit: 'times',
          answer: { value: 10.5, mark: '10.5', isMeasured: true },
          results: [{ ...result, guess: 4 }],
        },
        'You said 4. The room measured 10.5: 2nd closest, 2 points.',
      ],
    ]),
  )('%s, %j', (mine, facts, words) => {
    expect(describeOwnGuess(mine, /** @type {any} */ ({ ...lesson, ...facts }))).toBe(words);
  });
});

test.each(
  /** @type {[string, { unit: string, isCount?: boolean }, number | undefined][]} */ ([
    ['9', { unit: 'seconds' }, 9],
    [' 0,5 ', { unit: 'seconds' }, 0.5],
    ['9 s', { unit: 'seconds' }, 9],
    ['9000ms', { unit: 'seconds' }, 9],
    ['0.95 sec', { unit: 'ms' }, 950],
    ['4 times', { unit: 'times' }, 4],
    ['4', { unit: 'connections', isCount: true }, 4],
    ['4.5', { unit: 'connections', isCount: true }, undefined],
    ['4 s', { unit: 'connections', isCount: true }, undefined],
    ['1,000', { unit: 'ms' }, undefined],
    ['-3', { unit: 'ms' }, undefined],
    ['nine', { unit: 'seconds' }, undefined],
    ['9 lanes', { unit: 'seconds' }, undefined],
    ['', { unit: 'seconds' }, undefined],
  ]),
)('the guess %j, in %j, is %s', (text, lesson, value) => {
  expect(readGuess(text, lesson)).toBe(value);
});

test('a guess that is none is told what is one', () => {
  expect(describeAllowed({ unit: 'seconds' })).toBe('Write a number of seconds, such as 9 or 0.5.');
  expect(describeAllowed({ unit: 'connections', isCount: true })).toBe(
    'Write a whole number of connections, such as 4.',
  );
});

test("a guess after the reveal, or after the learner's own measurement, does not count", async () => {
  const { learn, state } = await serveClass();
  const ada = await learn('Ada');
  await ada.report({ guess: 12 });
  await ada.report({ verdict: true, figures: FIGURES });
  expect(await ada.report({ guess: 20 })).toMatchObject({ status: 200, answer: { guess: 12 } });
  expect(state.learners[0].work['01-first'].guess).toBe(12);
});

test('the QR code of an address is the one that an independent encoder draws', () => {
  const rows = drawQrCode('http://192.168.1.23:3300/join/ABC234') ?? [];
  expect(rows.map((row) => row.map((isDark) => (isDark ? '#' : '.')).join(''))).toEqual(QR_CODE);
  expect(drawQrCode('x'.repeat(78))).toHaveLength(33);
  expect(drawQrCode('x'.repeat(79))).toBeUndefined();
});

test('the teacher sees which hint was read, and the others see no more than before', async () => {
  const { url, learn, state } = await serveClass();
  const ada = await learn('Ada');
  for (const hint of [2, 1]) expect(await ada.report({ hint })).toMatchObject({ status: 200 });
  const { people } = await firstWhere(readClassEvents(`${url}/class/events`), () => true);
  expect(people).toMatchObject([{ name: 'Ada', state: 'working', hint: 2 }]);
  expect(state.learners[0].work['01-first']).toEqual({ failed: 0, hint: 2 });
  expect(await ada.report({ hint: 4 })).toMatchObject({ status: 400 });
});

test('after the reveal nobody guesses any more, and a new lesson has a new question', async () => {
  const { url, join, learn, state } = await serveClass();
  const ben = await learn('Ben');
  const phone = readClassEvents(`${join}/events`);
  await teach(url, '/class/reveal');
  expect(await ben.report({ guess: 3 })).toMatchObject({ status: 200, answer: { guess: null } });
  expect(state.learners[0].work['01-first'].guess).toBeUndefined();
  await teach(url, '/class/lesson', { lesson: '02-second' });
  expect(await firstWhere(phone, ({ name }) => name === '02-second')).toMatchObject({ number: 2, isRevealed: false });
});

test('learners see no names', async () => {
  const { join, learn } = await serveClass();
  await learn('Ada');
  const seen = await firstWhere(readClassEvents(`${join}/events`), () => true);
  expect(JSON.stringify(seen)).not.toContain('Ada');
});

test('who fails three checks, or makes no progress for some minutes, is stuck', async () => {
  const { state, learn } = await serveClass();
  const [ada, ben] = [await learn('Ada'), await learn('Ben')];
  for (let check = 0; check < 3; check++) await ada.report({ verdict: false });
  const people = (/** @type {number} */ afterMs) =>
    describeRoomOf(state, afterMs).people.map(({ name, state: how, why }) => [name, how, why]);
  expect(people(0)).toEqual([
    ['Ada', 'stuck', '3 checks failed'],
    ['Ben', 'working', ''],
  ]);
  expect(people(STUCK_AFTER_MS + 1000)[1]).toEqual(['Ben', 'stuck', 'no progress for 5 min']);
  await ada.report({ verdict: true });
  await ben.report({ guess: 4 });
  expect(people(0)).toEqual([
    ['Ben', 'guessed', ''],
    ['Ada', 'done', ''],
  ]);
});

test('the teacher sees who is at the case of the lesson, and the result who has solved it', async () => {
  const { url, state, learn } = await serveClass();
  const [ada, ben, cleo] = [await learn('Ada'), await learn('Ben'), await learn('Cleo')];
  await teach(url, '/class/lesson', { lesson: '02-second' });
  await ada.report({ lesson: 'case-1', verdict: true });
  for (const learner of [ada, ben]) await learner.report({ lesson: '02-second', verdict: true });
  for (let check = 0; check < 3; check++) await ben.report({ lesson: 'case-1', verdict: false });
  await cleo.report({ lesson: '01-first/twist', verdict: true });
  const { lessons, people } = describeRoomOf(state);
  expect(lessons).toMatchObject([{ solved: 0 }, { case: 'case-1', done: 2, solved: 1 }, { solved: 0 }]);
  expect(people).toMatchObject([
    { name: 'Ben', state: 'stuck', why: '3 checks failed', solved: [] },
    { name: 'Cleo', state: 'working', solved: [] },
    { name: 'Ada', state: 'done', done: 1, solved: ['case-1'] },
  ]);
  const page = await (await fetch(`${url}/class/result`)).text();
  const [heads, ...rows] = page.split('<tr>').slice(1);
  const cellsOf = (/** @type {string} */ row) =>
    [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, text]) => text);
  expect([heads, ...rows].map(cellsOf)).toEqual([
    ['Name', '1 twist', '2', 'case-1', 'Points'],
    ['Ada', '', 'done', 'done', ''],
    ['Ben', '', 'done', '', ''],
    ['Cleo', 'done', '', '', ''],
  ]);
});

test.each([
  ['one name', ['Ada', 'Ada', 'Ada'], ['Ada', 'Ada 2', 'Ada 3']],
  ['another case', ['Ada', 'ada', 'ADA'], ['Ada', 'ada 2', 'ADA 3']],
  ['Cyrillic and Greek letters', ['Ada', '\u0410da', 'Ad\u03b1'], ['Ada', '\u0410da 2', 'Ad\u03b1 3']],
  [
    'only Cyrillic letters',
    ['\u0412\u043e\u0432\u0430', '\u0432\u043e\u0432\u0430'],
    ['\u0412\u043e\u0432\u0430', '\u0432\u043e\u0432\u0430 2'],
  ],
  ['accents and widths', ['Zoe', 'Zo\u00eb', '\uff3a\uff4f\uff45'], ['Zoe', 'Zo\u00eb 2', '\uff3a\uff4f\uff45 3']],
  ['a capital I, a digit, a wide space', ['Al B', 'AI\u00a0B', 'A1  B'], ['Al B', 'AI\u00a0B 2', 'A1  B 3']],
  ['names that only begin alike', ['Ann', 'Anna', 'Ann 2', 'Ann'], ['Ann', 'Anna', 'Ann 2', 'Ann 3']],
  ['vowel signs', ['\u0930\u093e\u092e', '\u0930\u092e\u093e'], ['\u0930\u093e\u092e', '\u0930\u092e\u093e']],
])('two with %s can be told apart', (_, names, called) => {
  const roll = createRoll(openState(LESSONS), LESSONS, () => {});
  expect(names.map((name) => roll.join(name).name)).toEqual(called);
});

test.each(['Teacher', ' teacher', 'TEACHER 2', 'The Teacher', 'T\u0435acher', '\uff34eacher'])(
  'no learner can be called %s',
  async (name) => {
    const { join, state } = await serveClass();
    expect(await post(`${join}/learners`, { name })).toMatchObject({
      ...refusal(400),
      answer: { detail: `the name ${name.trim()} is taken: choose another one` },
    });
    expect(state.learners).toEqual([]);
  },
);

test.each(
  /** @type {[string, unknown][]} */ ([
    ['no name', {}],
    ['an empty one', { name: '  ' }],
    ['a long one', { name: 'a'.repeat(41) }],
    ['a number', { name: 7 }],
    ['a line break', { name: 'A\nB' }],
    ['a right-to-left override', { name: 'A\u202eB' }],
    ['a list', ['Ada']],
    ['null', 'null'],
    ['more than a name', { name: 'Ada', isTeacher: true }],
    ['a phone in words', { name: 'Ada', onPhone: 'yes' }],
    ['no JSON', '{'],
    ['__proto__', '{"name":"Ada","__proto__":{"x":1}}'],
  ]),
)('a hostile name is refused: %s', async (_, body) => {
  const { join, state } = await serveClass();
  expect(await post(`${join}/learners`, body)).toMatchObject({ ...refusal(400), answer: { status: 400 } });
  expect(state.learners).toEqual([]);
});

test.each(
  /** @type {[string, object][]} */ ([
    ['an unknown lesson', { lesson: '99-none' }],
    ['a lesson that is a method', { lesson: 'constructor' }],
    ['a guess in words', { guess: 'many' }],
    ['an endless guess', { guess: 1e12 }],
    ['a verdict in words', { verdict: 'yes' }],
    ['a lot of points', { figures: { measured: 1, points: Array(21).fill([1, 2]) } }],
    ['points in words', { figures: { measured: 1, points: [['1', 2]] } }],
    ['more than that', { result: 'secret' }],
    ['figures with more', { figures: { measured: 1, points: [], host: 'x' } }],
  ]),
)('a hostile report is refused: %s', async (_, report) => {
  const { learn, state } = await serveClass();
  const ada = await learn('Ada');
  expect(await ada.report(report)).toMatchObject(refusal(400));
  expect(state.learners[0].work).toEqual({});
});

test('the rest of what nobody should send', async () => {
  const { url, join, state } = await serveClass();
  const learner = 'x'.repeat(32);
  expect(await post(`${join}/reports`, { learner, lesson: '01-first', guess: 1 })).toMatchObject(refusal(403));
  expect(await post(`${url}/join/WRONG2/learners`, { name: 'Ada' })).toMatchObject(refusal(404));
  expect(await post(`${join}/learners`, { name: 'Ada', more: 'x'.repeat(5000) })).toMatchObject(refusal(413));
  expect(await post(`${join}/learners`, '{"name":"Ada"}', { 'Content-Type': 'text/plain' })).toMatchObject(
    refusal(415),
  );
  expect(await post(`${url}/nothing`, {})).toMatchObject(refusal(404));
  expect(await post(`${url}/class/reveal`, {}, { Origin: 'http://evil.example' })).toMatchObject(refusal(403));
  expect(await teach(url, '/class/lesson', { lesson: '99-none' })).toMatchObject(refusal(400));
  expect(state).toMatchObject({ learners: [], revealed: [], current: '01-first' });
});

test('another site can not reach it by a name of its own', async () => {
  const { url } = await serveClass();
  const status = await new Promise((resolve) => {
    request(`${url}/`, { headers: { Host: 'evil.example' } }, (res) => resolve(res.resume().statusCode)).end();
  });
  expect(status).toBe(403);
});

test('a class has room for 200', async () => {
  const { roll, join } = await serveClass();
  for (let count = 0; count < 200; count++) roll.join('Ada');
  expect(await post(`${join}/learners`, { name: 'Ben' })).toMatchObject({
    status: 403,
    answer: { detail: 'the class is full: 200 learners' },
  });
});

/** @param {string} url @returns {Promise<string[]>} the names in the room's result */
async function readResultNames(url) {
  const page = await (await fetch(`${url}/class/result`)).text();
  return [...page.matchAll(/<th scope="row">(.*?)<\/th>/g)].map(([, name]) => name);
}

/**
 * Sends a request from an address of this machine.
 * @param {string} url
 * @param {string} localAddress
 * @param {object} [body]
 * @returns {Promise<number>} status
 */
async function askFrom(url, localAddress, body) {
  const outgoing = request(url, {
    method: body ? 'POST' : 'GET',
    localAddress,
    agent: false,
    headers: { 'Content-Type': 'application/json' },
  });
  outgoing.end(body && JSON.stringify(body));
  const [response] = await once(outgoing, 'response');
  cleanUp(() => outgoing.destroy());
  return response.resume().statusCode;
}

/** All of 127.0.0.0/8 is this machine. */
const onLinux = process.platform === 'linux' ? test : test.skip;

onLinux(
  'one address gets its share of the joins per minute, which is a whole classroom; others still get in',
  async () => {
    const { join, state } = await serveClass();
    for (let count = 0; count < 60; count++)
      expect(await askFrom(`${join}/learners`, '127.0.0.1', { name: 'Ada' })).toBe(201);
    expect(await post(`${join}/learners`, { name: 'Ada' })).toMatchObject({
      ...refusal(429),
      answer: { detail: 'new learners per minute from one address: at most 60. Try again in a minute' },
    });
    expect(await askFrom(`${join}/learners`, '127.0.0.2', { name: 'Ben' })).toBe(201);
    expect(state.learners).toHaveLength(61);
  },
);

onLinux('one address can open its share of the pages; others still can, and closed ones make room', async () => {
  const { url, join } = await serveClass({ share: 1 });
  const pages = Array.from({ length: 4 }, () => readClassEvents(`${join}/events`));
  for (const page of pages) expect((await page.next()).done).toBe(false);
  expect(await askFrom(`${join}/events`, '127.0.0.1')).toBe(429);
  expect(await askFrom(`${join}/events`, '127.0.0.2')).toBe(200);
  // The teacher's page is not one of them.
  expect((await readClassEvents(`${url}/class/events`).next()).done).toBe(false);
  await pages[0].return();
  await until('there is room', async () => (await askFrom(`${join}/events`, '127.0.0.1')) === 200);
});

test("the teacher's pages have a limit of their own", async () => {
  const { url, join } = await serveClass();
  for (let count = 0; count < 50; count++) await readClassEvents(`${url}/class/events`).next();
  const { status, headers } = await fetch(`${url}/class/events`);
  expect([status, headers.get('Content-Type')]).toEqual([503, 'application/problem+json; charset=utf-8']);
  expect((await readClassEvents(`${join}/events`).next()).done).toBe(false);
});

test('all addresses together can open 450 pages', () => {
  const limits = createAddressLimits({ share: 50, isHere: () => false });
  const open = (/** @type {string} */ address) => {
    const page = new EventEmitter();
    limits.openPage(address, /** @type {any} */ (page));
    return page;
  };
  const pages = ['one', 'two'].flatMap((address) => Array.from({ length: 225 }, () => open(address)));
  expect(() => open('three')).toThrow('too many pages are open');
  pages[0].emit('close');
  open('three');
  expect(() => open('one')).toThrow('too many pages are open');
});

test('the places of a class are shared, too, and a minute later others may join', () => {
  /** @type {string[]} */
  const here = [];
  const limits = createAddressLimits({ share: 60, isHere: (id) => here.includes(id) });
  const join = (/** @type {number} */ minute, address = 'one') =>
    limits.join(address, minute * 60_000, () => ({ id: String(here.push(String(here.length)) - 1) }));
  for (let count = 0; count < 72; count++) join(0);
  expect(() => join(0.99)).toThrow('new learners per minute from one address: at most 72. Try again in a minute');
  for (let count = 72; count < 120; count++) join(1);
  const isFull = 'places per address: at most 120 of 200. The teacher can allow more with --share';
  expect(() => join(2)).toThrow(isFull);
  join(2, 'two');
  here.splice(0, 1, 'removed');
  join(2);
  expect(() => join(2)).toThrow(isFull);
});

test('the smallest share is one of each', () => {
  const limits = createAddressLimits({ share: 0.1, isHere: () => false });
  limits.join('one', 0, () => ({ id: 'a' }));
  expect(() => limits.join('one', 59_999, () => ({ id: 'b' }))).toThrow('at most 1.');
  limits.join('one', 60_000, () => ({ id: 'b' }));
});

test('a class that asks first shows nothing of learners until they are let in', async () => {
  const { url, state, join, learn } = await serveClass();
  await learn('Ada');
  expect(await teach(url, '/class/door', { asksFirst: true })).toMatchObject({ status: 200 });
  const { answer } = await post(`${join}/learners`, { name: 'Ben' });
  expect(answer).toMatchObject({ name: 'Ben', waits: true });
  const report = { learner: answer.learner, lesson: '01-first', guess: 12 };
  expect(await post(`${join}/reports`, report)).toMatchObject({ status: 200 });
  const room = () => describeRoomOf(state);
  expect(room()).toMatchObject({
    asksFirst: true,
    waiting: ['Ben'],
    people: [{ name: 'Ada' }],
    lesson: { guesses: [] },
  });
  expect(await readResultNames(url)).toEqual(['Ada']);
  expect(await teach(url, '/class/learner', { name: 'Ben', action: 'admit' })).toMatchObject({ status: 200 });
  expect(room()).toMatchObject({ waiting: [], people: [{ name: 'Ada' }, { name: 'Ben' }], lesson: { guesses: [12] } });
  await teach(url, '/class/door', { asksFirst: false });
  await learn('Cleo');
  expect(state.learners.map(({ waits }) => Boolean(waits))).toEqual([false, false, false]);
});

test('the teacher removes a learner with all that came from there, and can hide a name', async () => {
  const { url, state, learn } = await serveClass();
  const [ada, ben] = [await learn('Ada'), await learn('Ben')];
  await ada.report({ guess: 12 });
  await ben.report({ guess: 13 });
  expect(await teach(url, '/class/learner', { name: 'Ada', action: 'remove' })).toMatchObject({ status: 200 });
  expect(await teach(url, '/class/learner', { name: 'Ben', action: 'hide' })).toMatchObject({ status: 200 });
  const room = () => describeRoomOf(state);
  expect(room()).toMatchObject({ people: [{ name: 'Ben', shownAs: 'A learner' }], lesson: { guesses: [13] } });
  expect(await readResultNames(url)).toEqual(['A learner']);
  expect(await ada.report({ guess: 14 })).toMatchObject({
    ...refusal(403),
    answer: { detail: 'this class does not know you: join it again' },
  });
  expect(await teach(url, '/class/learner', { name: 'Ben', action: 'unhide' })).toMatchObject({ status: 200 });
  expect(room()).toMatchObject({ people: [{ name: 'Ben', shownAs: 'Ben' }] });
});

test.each([
  ['/class/learner', { name: 'Nobody', action: 'remove' }, 404],
  ['/class/learner', { name: 'Ada', action: 'join' }, 400],
  ['/class/learner', { name: 'Ada', action: 'constructor' }, 400],
  ['/class/learner', { name: 7, action: 'remove' }, 400],
  ['/class/learner', { name: 'Ada' }, 400],
  ['/class/door', { asksFirst: 'yes' }, 400],
  ['/class/door', {}, 400],
])('%s refuses %j', async (path, body, status) => {
  const { url, learn, state } = await serveClass();
  await learn('Ada');
  const before = structuredClone(state);
  expect(await teach(url, path, body)).toMatchObject(refusal(status));
  expect(await post(`${url}${path}`, body, { Origin: 'http://evil.example' })).toMatchObject(refusal(403));
  expect(state).toEqual(before);
});

test("off loopback only the token opens what is the teacher's", async () => {
  const token = 'only-the-teacher-knows';
  const { url, learn } = await serveClass({ host: '0.0.0.0', token });
  const own = url.replace('0.0.0.0', '127.0.0.1');
  await learn('Ada');
  for (const path of ['/class/events', '/class/result']) expect((await fetch(`${own}${path}`)).status).toBe(401);
  for (const path of ['/class/reveal', '/class/door', '/class/learner', '/class/lesson'])
    expect(await teach(own, path)).toMatchObject(refusal(401));
  expect(await teach(own, '/class/reveal', {}, 'another-token-of-16')).toMatchObject({ status: 401 });
  expect(await teach(own, '/class/reveal', {}, token)).toMatchObject({ status: 200 });
  const events = readClassEvents(`${own}/class/events`, { Authorization: `Bearer ${token}` });
  expect(await firstWhere(events, () => true)).toMatchObject({ people: [{ name: 'Ada' }] });
});

test("the room's result is one file that loads nothing and runs its charts alone, whatever the names are", async () => {
  const { url, learn } = await serveClass();
  const mallory = await learn('<script>alert(1)</script>');
  await mallory.report({ guess: 12, verdict: true, figures: FIGURES });
  const page = await (await fetch(`${url}/class/result`)).text();
  expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  const scripts = [...page.matchAll(/<script[^>]*>(.*?)<\/script>/gs)].map(([, text]) => hashSource(text));
  expect(scripts).toHaveLength(2);
  expect(page.replaceAll('&#39;', "'")).toContain(`script-src ${scripts.join(' ')};`);
  expect(page.replaceAll(/<script.*?<\/script>/gs, '')).not.toMatch(/<script|(?:src|href)="(?!data:)/);
  expect(page).toContain('1 guess: 12 s. 1 measurement: 20 s.');
  expect(page).toContain('The slowest request by pool size, 2 measurements');
  expect(page).toContain('The room measured 20 s. The closest guess was 12.');
  expect(page).toContain('Four wait for the first.');
  // 12 is within 3 times of 20.
  expect(page).toContain('<td>done, 1</td>');
});

describe('the file of a class', () => {
  /** Windows has no such modes. */
  const onPosix = process.platform === 'win32' ? test.skip : test;

  onPosix("only the teacher can read the learners' ids, whoever could read the file before", async () => {
    const file = path.join(await scratchFolder(), 'class.json');
    await writeFile(file, 'earlier', { mode: 0o644 });
    const state = openState(LESSONS);
    await createStateFile(file, state, (error) => {
      throw error;
    }).close();
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(state);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  test('has the last state when it is closed, in a folder that was missing', async () => {
    const file = path.join(await scratchFolder(), 'new', 'class.json');
    const state = openState(LESSONS);
    const stateFile = createStateFile(file, state, (error) => {
      throw error;
    });
    stateFile.save();
    stateFile.close();
    state.code = 'LATER1';
    await stateFile.close();
    expect(JSON.parse(await readFile(file, 'utf8')).code).toBe('LATER1');
    expect(await readdir(path.dirname(file))).toEqual(['class.json']);
  });

  test('says before it is closed that it could not be written', async () => {
    const file = path.join(await scratchFolder(), 'taken');
    await writeFile(file, '');
    /** @type {string[]} */
    const errors = [];
    await createStateFile(path.join(file, 'class.json'), openState(LESSONS), ({ message }) =>
      errors.push(message),
    ).close();
    expect(errors).toHaveLength(1);
  });
});
