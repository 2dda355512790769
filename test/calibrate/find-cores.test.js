import { describe, expect, test } from '@jest/globals';
import { findCores, listLevels, raiseLoad } from '../../src/calibrate/find-cores.js';

const WORK_MS = 100;
const workMs = { '/a': WORK_MS };

/**
 * What callers see of a server that does the work of so many cores.
 * @param {number} callers @param {number} cores
 */
function levelOf(callers, cores) {
  const runMs = WORK_MS * Math.max(1, callers / cores);
  const runs = Array.from({ length: callers }, () => ({ route: '/a', startedAtMs: 0, endedAtMs: runMs }));
  return { callers, fromMs: 0, untilMs: WORK_MS, runs, clientCores: 0.1 };
}

/**
 * @param {(callers: number, turn: number) => number} coresAt that the server's work keeps busy
 * @param {{ maxCallers: number, numCores?: number | null, levels?: number, clientCores?: number }} options levels: that there is time for
 */
async function raise(coresAt, { maxCallers, numCores = null, levels = Infinity, clientCores = 0.1 }) {
  /** @type {number[]} */
  const measured = [];
  const load = await raiseLoad(async ({ callers }) => {
    measured.push(callers);
    return { ...levelOf(callers, coresAt(callers, measured.length)), clientCores };
  }, {
    workMs, alone: 1, numCores, maxCallers, signal: new AbortController().signal, onLevel: () => {},
    leftMs: () => (measured.length < levels ? 1000 : 0),
  });
  return { measured, end: load.end, load };
}

test.each([[2, [2]], [3, [2, 3]], [8, [2, 4, 8]], [12, [2, 4, 8, 12]]])('up to %i callers: %j', (most, levels) => {
  expect(listLevels(most)).toEqual(levels);
});

describe('more and more callers', () => {
  test('until the server does no more, twice', async () => {
    expect(await raise(() => 2, { maxCallers: 64 })).toMatchObject({ measured: [2, 4, 4], end: 'full' });
  });

  test('a level that did no more by chance is no end', async () => {
    expect(await raise((callers, turn) => (turn === 2 ? 2 : callers), { maxCallers: 8 })).toMatchObject({ measured: [2, 4, 4, 8], end: 'callers' });
  });

  test('no more than the server has cores do not fill it, unless more of them do no more either', async () => {
    expect(await raise(() => 1, { maxCallers: 64, numCores: 16 })).toMatchObject({ measured: [2, 4], end: 'full' });
    expect(await raise((callers) => (callers === 2 ? 1 : 8), { maxCallers: 64, numCores: 4 })).toMatchObject({ measured: [2, 4, 8, 16, 16] });
  });

  test('not above the maximum, which is measured twice if the server does no more', async () => {
    expect(await raise(() => 100, { maxCallers: 6 })).toMatchObject({ measured: [2, 4, 6], end: 'callers' });
    expect(await raise(() => 1, { maxCallers: 2, numCores: 16 })).toMatchObject({ measured: [2, 2], end: 'full' });
  });

  test('until this process is full', async () => {
    expect(await raise(() => 100, { maxCallers: 64, clientCores: 0.95 })).toMatchObject({ measured: [2], end: 'client' });
  });

  test('until the time is up', async () => {
    expect(await raise(() => 100, { maxCallers: 64, levels: 2 })).toMatchObject({ measured: [2, 4], end: 'time' });
    expect(await raise(() => 2, { maxCallers: 64, levels: 2 })).toMatchObject({ measured: [2, 4], end: 'full' });
    await expect(raise(() => 2, { maxCallers: 64, levels: 0 })).rejects.toThrow('Use a larger --seconds.');
  });
});

describe('the cores', () => {
  test('of a full server: the most that was measured, and a range', async () => {
    const { load } = await raise(() => 1.8, { maxCallers: 64 });
    const { cores, range, seen } = findCores(load, workMs, 4);
    expect([cores, seen, ...range ?? []].map((value) => Number(value.toFixed(6)))).toEqual([1.8, 1.8, 1.8, 1.8]);
  });

  test('are not more than the server reports', () => {
    expect(findCores({ levels: [levelOf(4, 2.2)], end: 'full' }, workMs, 2)).toMatchObject({ cores: 2, seen: 2 });
  });

  test.each([[64, { cores: 64, range: [2, 64], seen: 2 }], [null, { cores: 2, range: null, seen: 2 }]])(
    'of a server that was not full, and reports %p', (numCores, found) => {
      expect(findCores({ levels: [levelOf(2, 100)], end: 'callers' }, workMs, numCores)).toEqual(found);
    });
});
