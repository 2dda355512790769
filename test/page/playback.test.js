import { beforeEach, expect, test } from '@jest/globals';
import { createPlayback } from '../../packages/pool-monitor/page/playback.js';

/** @type {number} */
let realMs;
/** Which changes were applied, and the page's time then. @type {[name: string, atMs: number][]} */
let applied;
/** @type {ReturnType<typeof createPlayback>} */
let playback;

beforeEach(() => {
  [realMs, applied] = [1000, []];
  playback = createPlayback(() => {}, () => realMs);
});

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
  realMs = 1700;
  playback.catchUp();
  expect(applied).toEqual([['a', 1200]]);
  realMs = 2000;
  playback.catchUp();
  expect(applied).toEqual([['a', 1200], ['b', 1500]]);
  expect(playback.behindMs()).toBe(500);
});

test('slow motion shows changes in order, four times as late', () => {
  playback.setRate(0.25);
  happen('a', 1100);
  happen('b', 1200);
  realMs = 1400;
  playback.catchUp();
  expect(applied).toEqual([['a', 1100]]);
  realMs = 1800;
  playback.catchUp();
  expect(applied).toEqual([['a', 1100], ['b', 1200]]);
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
