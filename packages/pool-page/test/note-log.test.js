import { beforeEach, describe, expect, test } from '@jest/globals';
import { findKinds } from 'mongodb-pool-page/universal/route-kinds.js';
import { NoteLog } from '../src/note-log.js';
import { createEnded, QUERIES } from './page/sample-pool.js';

/** @import { EndedRequest } from 'mongodb-pool-monitor' */

describe('Ferraris that had to wait, and failures', () => {
  const [WAITED, FAILED] = [{ count: 1, status: 200, totalMs: 4804, waitMs: 4800 }, { status: 503 }];
  const failed = createEnded({ status: 503, totalMs: 5000, waitMs: 0, behind: [] });
  /** @type {NoteLog} */
  let notes;
  beforeEach(() => {
    notes = new NoteLog();
  });

  /** @param {number} atMs @param {EndedRequest[]} ended */
  function collect(atMs, ...ended) {
    for (const request of ended) notes.add(request);
    return notes.collect(atMs, () => findKinds([], QUERIES));
  }

  test('a note has the time it took, and what it waited for', () => {
    expect(collect(7, createEnded())).toBe(true);
    const behind = [{ requestId: 'bus', route: '/slow' }];
    expect(notes.list).toEqual([{ ...WAITED, atMs: 7, route: '/fast', behind }]);
    expect(collect(8)).toBe(false);
  });

  test('requests that ended together are one note, with the longest time', () => {
    const other = createEnded({ requestId: 'other', totalMs: 900, waitMs: 890 });
    collect(0, other, createEnded(), other, createEnded({ status: 301 }));
    expect(notes.list).toMatchObject([{ ...WAITED, count: 4 }]);
  });

  test('a failed request gets a note for itself, below those that waited', () => {
    collect(0, createEnded(), createEnded({ status: 503, totalMs: 1000, waitMs: 1000, behind: [] }));
    expect(notes.list).toMatchObject([WAITED, { ...FAILED, count: 1, totalMs: 1000 }]);
  });

  test.each([
    { status: 503, totalMs: 5004, waitMs: 0, behind: [] },
    { status: 503, route: '/slow', totalMs: 5, waitMs: 0, behind: [] },
    { status: 0, totalMs: 2000, waitMs: 0, behind: [] },
  ])('a request that failed without waiting gets a note too: %j', (finished) => {
    collect(0, createEnded(finished));
    expect(notes.list).toMatchObject([{ ...finished, count: 1 }]);
  });

  test('an outage is one growing note, and leaves room for others', () => {
    collect(0, createEnded());
    for (const atMs of [200, 400, 9000]) collect(atMs, failed, failed);
    expect(notes.list).toMatchObject([{ ...FAILED, count: 6, totalMs: 5000 }, WAITED]);

    collect(60_000, failed);
    expect(notes.list[0]).toMatchObject({ ...FAILED, count: 1 });
    expect(notes.list).toHaveLength(3);
  });

  test('buses, and Ferraris without a wait, get no note', () => {
    expect(collect(0, createEnded({ waitMs: 3 }), createEnded({ route: '/slow' }))).toBe(false);
    expect(notes.list).toEqual([]);
  });

  test('the last twenty remain, latest first, however many routes fail at once', () => {
    for (let second = 1; second <= 30; second++) collect(second * 1000, createEnded({ totalMs: second * 1000 }));
    expect(notes.list.map(({ totalMs }) => totalMs / 1000)).toEqual(Array.from({ length: 20 }, (_, n) => 30 - n));

    collect(99_000, ...Array.from({ length: 500 }, (_, n) => ({ ...failed, route: `/${n}` })));
    expect(notes.list).toHaveLength(20);
    // Those that ended first: more are not kept even for a moment.
    expect(notes.list.at(-1)?.route).toBe('/0');
  });
});
