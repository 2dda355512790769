import { expect, test } from '@jest/globals';
import { keepLatest } from '../../../playground/browser/background.js';
import { formatLink, parseLink } from '../../../playground/browser/link-state.js';

test('what is asked for while it runs is done once more, after it', async () => {
  /** @type {(() => void)[]} */
  const ends = [];
  let runs = 0;
  const ask = keepLatest(() => {
    runs++;
    return new Promise((resolve) => {
      ends.push(resolve);
    });
  });
  const done = Promise.all([ask(), ask(), ask()]);
  expect(runs).toBe(1);
  ends[0]();
  while (ends.length < 2) await Promise.resolve();
  ends[1]();
  await done;
  expect(runs).toBe(2);
});

test('after an error it can run again', async () => {
  let runs = 0;
  const ask = keepLatest(async () => {
    runs++;
    throw new Error('no');
  });
  await expect(ask()).rejects.toThrow('no');
  await expect(ask()).rejects.toThrow('no');
  expect(runs).toBe(2);
});

test.each([
  ['', { id: '', isEmbedded: false, values: {} }],
  ['#knee', { id: 'knee', isEmbedded: false, values: {} }],
  ['#knee?embed', { id: 'knee', isEmbedded: true, values: {} }],
  ['#knee?embed&bus=2.5&guess=7', { id: 'knee', isEmbedded: true, values: { bus: '2.5', guess: '7' } }],
])('%s', (hash, state) => {
  expect(parseLink(hash)).toEqual(state);
  expect(formatLink(state)).toBe(hash || '#');
});

test('a link holds any text, as a pasted scenario', () => {
  const values = { yaml: 'config:\n  target: "x?y#z&é"\n', services: '/slow=work:20 /fast=2' };
  expect(parseLink(formatLink({ id: 'sandbox', isEmbedded: false, values })).values).toEqual(values);
});
