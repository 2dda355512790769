import { request } from 'node:http';
import { expect, test } from '@jest/globals';
import { describeRoom } from '../../src/classroom/class-view.js';
import { LESSONS } from './sample-lessons.js';
import { firstWhere, post, readClassEvents, serveClass, teach } from './serve-class.js';

const PROBLEM = 'application/problem+json; charset=utf-8';

test('guesses meet on the page at once; what was measured joins them with the reveal', async () => {
  const { url, learn } = await serveClass();
  const events = readClassEvents(`${url}/class/events`);
  const ada = await learn('Ada');
  await ada.report({ guess: 12 });
  const before = await firstWhere(events, ({ lesson }) => lesson.guessed === 1);
  expect(before).toMatchObject({ people: [{ name: 'Ada', state: 'guessed' }], lesson: { guesses: [12], isRevealed: false } });

  await ada.report({ verdict: true, figures: { measured: 20, points: [[1, 21_000]] } });
  expect((await firstWhere(events, ({ lesson }) => lesson.checked === 1)).lesson).toMatchObject({ measured: [], points: [] });
  expect(await teach(url, '/class/reveal')).toMatchObject({ status: 200 });
  expect(await firstWhere(events, ({ lesson }) => lesson.isRevealed)).toMatchObject({
    lesson: { guesses: [12], measured: [20], points: [[1, 21_000]] }, people: [{ state: 'done', done: 1 }],
  });
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
  const stuckAfterMs = 300_000;
  const people = (/** @type {number} */ afterMs) => (
    describeRoom(state, LESSONS, { now: Date.now() + afterMs, stuckAfterMs }).people.map(({ name, state: how, why }) => [name, how, why]));
  expect(people(0)).toEqual([['Ada', 'stuck', '3 checks failed'], ['Ben', 'working', '']]);
  expect(people(stuckAfterMs + 1000)[1]).toEqual(['Ben', 'stuck', 'no progress for 5 min']);
  await ada.report({ verdict: true });
  await ben.report({ guess: 4 });
  expect(people(0)).toEqual([['Ben', 'guessed', ''], ['Ada', 'done', '']]);
});

test('two with one name can be told apart', async () => {
  const { learn } = await serveClass();
  expect([(await learn('Ada')).name, (await learn(' Ada ')).name, (await learn('Ada')).name]).toEqual(['Ada', 'Ada 2', 'Ada 3']);
});

test.each(/** @type {[string, unknown][]} */ ([
  ['no name', {}], ['an empty one', { name: '  ' }], ['a long one', { name: 'a'.repeat(41) }], ['a number', { name: 7 }],
  ['a line break', { name: 'A\nB' }], ['a right-to-left override', { name: 'A\u202eB' }], ['a list', ['Ada']], ['null', 'null'],
  ['more than a name', { name: 'Ada', isTeacher: true }], ['no JSON', '{'], ['__proto__', '{"name":"Ada","__proto__":{"x":1}}'],
]))('a hostile name is refused: %s', async (_, body) => {
  const { join, state } = await serveClass();
  expect(await post(`${join}/learners`, body)).toMatchObject({ status: 400, type: PROBLEM, answer: { status: 400 } });
  expect(state.learners).toEqual([]);
});

test.each(/** @type {[string, object][]} */ ([
  ['an unknown lesson', { lesson: '99-none' }], ['a lesson that is a method', { lesson: 'constructor' }], ['a guess in words', { guess: 'many' }],
  ['an endless guess', { guess: 1e12 }], ['a verdict in words', { verdict: 'yes' }], ['a lot of points', { figures: { measured: 1, points: Array(21).fill([1, 2]) } }],
  ['points in words', { figures: { measured: 1, points: [['1', 2]] } }], ['more than that', { result: 'secret' }],
  ['figures with more', { figures: { measured: 1, points: [], host: 'x' } }],
]))('a hostile report is refused: %s', async (_, report) => {
  const { learn, state } = await serveClass();
  const ada = await learn('Ada');
  expect(await ada.report(report)).toMatchObject({ status: 400, type: PROBLEM });
  expect(state.learners[0].work).toEqual({});
});

test('the rest of what nobody should send', async () => {
  const { url, join, state } = await serveClass();
  const learner = 'x'.repeat(32);
  expect(await post(`${join}/reports`, { learner, lesson: '01-first', guess: 1 })).toMatchObject({ status: 403, type: PROBLEM });
  expect(await post(`${url}/join/WRONG2/learners`, { name: 'Ada' })).toMatchObject({ status: 404, type: PROBLEM });
  expect(await post(`${join}/learners`, { name: 'Ada', more: 'x'.repeat(5000) })).toMatchObject({ status: 413, type: PROBLEM });
  expect(await post(`${join}/learners`, '{"name":"Ada"}', { 'Content-Type': 'text/plain' })).toMatchObject({ status: 415, type: PROBLEM });
  expect(await post(`${url}/nothing`, {})).toMatchObject({ status: 404, type: PROBLEM });
  expect(await post(`${url}/class/reveal`, {}, { Origin: 'http://evil.example' })).toMatchObject({ status: 403, type: PROBLEM });
  expect(await teach(url, '/class/lesson', { lesson: '99-none' })).toMatchObject({ status: 400, type: PROBLEM });
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
  expect(await post(`${join}/learners`, { name: 'Ben' })).toMatchObject({ status: 403, answer: { detail: 'the class is full: 200 learners' } });
});

test('off loopback only the token opens what is the teacher\'s', async () => {
  const token = 'only-the-teacher-knows';
  const { url, learn } = await serveClass({ host: '0.0.0.0', token });
  const own = url.replace('0.0.0.0', '127.0.0.1');
  await learn('Ada');
  for (const path of ['/class/events', '/class/result']) expect((await fetch(`${own}${path}`)).status).toBe(401);
  expect(await teach(own, '/class/reveal')).toMatchObject({ status: 401, type: PROBLEM });
  expect(await teach(own, '/class/reveal', {}, 'another-token-of-16')).toMatchObject({ status: 401 });
  expect(await teach(own, '/class/reveal', {}, token)).toMatchObject({ status: 200 });
  const events = readClassEvents(`${own}/class/events`, { Authorization: `Bearer ${token}` });
  expect(await firstWhere(events, () => true)).toMatchObject({ people: [{ name: 'Ada' }] });
});

test("the room's result is one file that loads nothing and runs nothing, whatever the names are", async () => {
  const { url, learn } = await serveClass();
  const mallory = await learn('<script>alert(1)</script>');
  await mallory.report({ guess: 12, verdict: true, figures: { measured: 20, points: [[1, 21_000], [3, 7000]] } });
  const page = await (await fetch(`${url}/class/result`)).text();
  expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  expect(page).not.toContain('<script');
  expect(page).not.toMatch(/(?:src|href)="(?!data:)/);
  expect(page).toContain('1 guess: 12 seconds. 1 measurement: 20 seconds.');
  expect(page).toContain('The slowest request by pool size, 2 measurements');
});
