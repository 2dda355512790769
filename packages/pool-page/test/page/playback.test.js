import { beforeEach, expect, test } from '@jest/globals';
import { createPlayback } from '../../page/playback.js';

/** @type {number} */
let realMs;
/** Which changes were applied, and the page's time then. @type {[name: string, atMs: number][]} */
let applied;
/** @type {ReturnType<typeof createPlayback>} */
let playback;

beforeEach(() => {
  [realMs, applied] = [1000, []];
  playback = createPlayback(
    () => {},
    () => realMs,
  );
});

/** @param {number} atMs @returns {typeof applied} what has been applied by then */
function listApplied(atMs) {
  realMs = atMs;
  playback.catchUp();
  return applied;
}

/** @param {string} name @param {number} atMs */
function happen(name, atMs) {
  realMs = atMs;
  playback.add((ms) => applied.push([name, ms]));
}

test('live, a change is shown when it happens', () => {
  happen('a', 1200);
  expect(applied).toEqual([['a', 1200]]);
  expect(playback.behindMs()).toBe(0);
});

test('in a pause nothing is shown and the time stands still; afterwards it goes on from there', () => {
  playback.setRate(0);
  happen('a', 1200);
  happen('b', 1500);
  expect(applied).toEqual([]);
  expect(playback.nowMs()).toBe(1000);

  playback.setRate(1);
  expect(listApplied(1700)).toEqual([['a', 1200]]);
  expect(listApplied(2000).slice(1)).toEqual([['b', 1500]]);
  expect(playback.behindMs()).toBe(500);
});

test('slow motion shows changes in order, four times as late', () => {
  playback.setRate(0.25);
  happen('a', 1100);
  happen('b', 1200);
  expect(listApplied(1400)).toEqual([['a', 1100]]);
  expect(listApplied(1800).slice(1)).toEqual([['b', 1200]]);
});

test('back to live, everything has happened', () => {
  playback.setRate(0);
  happen('a', 1100);
  playback.goLive();
  expect(applied).toEqual([['a', 1100]]);
  happen('b', 1300);
  expect(applied.at(-1)).toEqual(['b', 1300]);
});

test('after ten minutes of pause the page is live again', () => {
  playback.setRate(0);
  happen('a', 601_000);
  expect(applied).toEqual([]);
  happen('b', 601_001);
  expect(applied.map(([name]) => name)).toEqual(['a', 'b']);
  expect(playback.behindMs()).toBe(0);
});
