import { describe, expect, test } from '@jest/globals';
import { describeNote } from '../../src/page/notes.js';
import { createState, takeHistory, takeLoadTest, takePool, takeSecond } from '../../src/page/state.js';
import { createFinished, createLane, createLoadTest, createPool, createSecond } from './sample-pool.js';

/** @param {Parameters<typeof describeNote>[0]} note */
const tell = (note) => Object.values(describeNote(note)).join('');

describe('Ferraris that had to wait', () => {
  /** @param {import('../../src/page/feed-types.js').Finished[]} finished */
  const notesOf = (...finished) => takePool(createState(), createPool({ finished }), 0).notes.map(tell);

  test('one is told with the time it took and whom it waited for', () => {
    expect(notesOf(createFinished())).toEqual(['/fast took 4.8 s, 4.8 s of it waiting behind /slow']);
  });

  test('those that came through together are one note, of the one that took longest', () => {
    const other = createFinished({ requestId: 'other', totalMs: 900, waitMs: 890 });

    expect(notesOf(other, other, createFinished())).toEqual([
      '3 /fast took up to 4.8 s, 4.8 s of it waiting behind /slow',
    ]);
  });

  test('one that failed is told apart', () => {
    const timedOut = createFinished({ status: 503, totalMs: 1000, waitMs: 1000, behind: [] });

    expect(notesOf(timedOut, createFinished())).toEqual([
      '/fast took 4.8 s, 4.8 s of it waiting behind /slow', '/fast failed with status 503 after 1.0 s, 1.0 s of it waiting',
    ]);
  });

  test.each([
    [{ status: 503, totalMs: 5004, waitMs: 0, behind: [] }, '/fast failed with status 503 after 5.0 s'],
    [{ status: 503, route: '/slow', totalMs: 5, waitMs: 0, behind: [] }, '/slow failed with status 503 after 5 ms'],
    [{ status: 0, totalMs: 2000, waitMs: 0, behind: [] }, '/fast left unanswered after 2.0 s'],
  ])('one that failed without having waited is told as well: %j', (finished, text) => {
    expect(notesOf(createFinished(finished))).toEqual([text]);
  });

  test('an outage is one note that grows, and leaves room for others', () => {
    const failed = createFinished({ status: 503, totalMs: 5000, waitMs: 0, behind: [] });
    let state = takePool(createState(), createPool({ atMs: 0, finished: [createFinished()] }), 0);
    for (const atMs of [200, 400, 9000]) state = takePool(state, createPool({ atMs, finished: [failed, failed] }), 0);

    expect(state.notes.map(tell)).toEqual([
      '6 /fast failed with status 503 after up to 5.0 s', '/fast took 4.8 s, 4.8 s of it waiting behind /slow',
    ]);
    const later = takePool(state, createPool({ atMs: 60_000, finished: Array(20).fill(failed) }), 0);
    expect(tell(later.notes[0])).toBe('at least 20 /fast failed with status 503 after up to 5.0 s');
  });

  test('buses, and Ferraris that drove right through, are not worth a note', () => {
    expect(notesOf(createFinished({ waitMs: 3 }), createFinished({ route: '/slow' }))).toEqual([]);
  });

  test('the last few are kept, the latest first', () => {
    let state = createState();
    for (const totalMs of [1000, 2000, 3000, 4000, 5000, 6000]) {
      state = takePool(state, createPool({ atMs: totalMs, finished: [createFinished({ totalMs })] }), 0);
    }

    expect(state.notes.map(({ totalMs }) => totalMs)).toEqual([6000, 5000, 4000, 3000]);
  });
});

describe('the last two minutes', () => {
  test('seconds are added, and those that are older are dropped', () => {
    const seconds = Array.from({ length: 120 }, (_, index) => createSecond({ atMs: index * 1000 }));
    let state = takeHistory(createState(), seconds);
    state = takeSecond(state, createSecond({ atMs: 120_000 }));

    expect(state.seconds).toHaveLength(120);
    expect(state.seconds[0].atMs).toBe(1000);
    expect(state.seconds.at(-1)?.atMs).toBe(120_000);
  });

  test('a second that the history had already is not there twice', () => {
    let state = takeHistory(createState(), [createSecond({ atMs: 1000 }), createSecond({ atMs: 2000 })]);
    state = takeSecond(state, createSecond({ atMs: 2000, active: 7 }));

    expect(state.seconds.map(({ active }) => active)).toEqual([1, 7]);
  });

  test('after a loss of the connection the app\'s history counts', () => {
    const before = takeHistory(createState(), [createSecond({ atMs: 1000 })]);
    const { seconds } = takeHistory(before, [createSecond({ atMs: 5000 })]);

    expect(seconds.map(({ atMs }) => atMs)).toEqual([5000]);
  });
});

test('a load test is brought up to date, and the latest comes first', () => {
  let state = takeLoadTest(createState(), createLoadTest({ id: 1, state: 'done' }));
  const later = createLoadTest({ id: 2, startedAt: '2026-11-20T11:00:00.000Z', progress: 0 });
  state = takeLoadTest(state, later);
  state = takeLoadTest(state, { ...later, progress: 0.4 });

  expect(state.loadTests.map(({ id, progress }) => [id, progress])).toEqual([[2, 0.4], [1, 0.5]]);
});

test('a pool of its own for /slow is a view of its own, and each vehicle leaves by its own tunnel', () => {
  const [bus, ferrari] = ['/slow', '/fast'].map((route) => createFinished({ route }));
  const slowPool = createPool({ max: 3, lanes: [createLane({ requestId: 'bus' })] });
  const state = takePool(createState(), createPool({ max: 2, finished: [bus, ferrari], slowPool }), 250);

  expect(state).toMatchObject({ receivedAtMs: 250, pool: { max: 2, finished: [{ route: '/fast' }] } });
  expect(state.slow).toMatchObject({ receivedAtMs: 250, pool: { max: 3, slowMs: 5000, finished: [{ route: '/slow' }] } });
  expect([[...state.slots], [...state.slow?.slots ?? []]]).toEqual([[], [['bus', 0]]]);
  expect(takePool(state, createPool(), 500).slow).toBeNull();
});

test('requests keep their lanes from one event to the next', () => {
  const [a, b] = ['a', 'b'].map((requestId) => createLane({ requestId }));
  const first = takePool(createState(), createPool({ lanes: [a, b] }), 0);
  const second = takePool(first, createPool({ lanes: [b] }), 250);

  expect([...second.slots]).toEqual([['b', 1]]);
});
