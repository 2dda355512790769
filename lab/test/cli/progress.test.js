import { PassThrough } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import { StatusLine } from '../../cli/status-line.js';
import { createRunProgress } from '../../cli/progress-bar.js';
import { until } from 'test-support/waiting.js';

/** @param {object} terminal */
function openStream(terminal) {
  const stream = Object.assign(new PassThrough(), {
    cursorTo: (/** @type {number} */ x) => stream.write(`<to ${x}>`),
    clearLine: () => stream.write('<clear>'),
    ...terminal,
  });
  return /** @type {any} */ (stream);
}

test('a terminal has one line that changes, and lines that remain above it', async () => {
  const stream = openStream({ isTTY: true, columns: 50 });
  let said = '';
  stream.on('data', (/** @type {Buffer} */ chunk) => {
    said += chunk;
  });
  const status = new StatusLine(stream, () => 'too long '.repeat(10), 1);
  await until('the line', () => said.includes('too long'));
  status.report('remains');
  status.stop();
  await until('the end', () => said.endsWith('<to 0><clear>'));
  expect(said).toContain(`<clear>${'too long '.repeat(10).slice(0, 49)}<to 0>`);
  expect(said).toContain('<to 0><clear>remains\n');
});

test('elsewhere there is a line now and then', async () => {
  const stream = openStream({});
  let said = '';
  stream.on('data', (/** @type {Buffer} */ chunk) => {
    said += chunk;
  });
  const status = new StatusLine(stream, () => 'a line that is long', 1);
  await until('two lines', () => said.includes('a line that is long\na line that is long\n'));
  status.stop();
  expect(said).not.toContain('<');
});

/** @param {boolean} isTTY */
function createProgress(isTTY) {
  const stream = Object.assign(new PassThrough(), {
    isTTY,
    columns: 80,
    cursorTo: () => true,
    clearLine: () => true,
    moveCursor: () => true,
  });
  let nowMs = 0;
  const progress = createRunProgress(/** @type {any} */ (stream), () => nowMs);
  return {
    /** @param {number} ms @param {number} done */
    at(ms, done) {
      nowMs = ms;
      progress.onProgress({ step: 'load x1, 8 connections', done, total: 100 });
    },
    stop: progress.stop,
    text: () => String(stream.read() ?? ''),
  };
}

describe('simulation runs', () => {
  test('on a terminal there is nothing in the first second, then a bar with the time left', () => {
    const { at, stop, text } = createProgress(true);
    at(900, 20);
    expect(text()).toBe('');
    at(2000, 25);
    expect(text()).toContain('25%  6 s left  simulating load x1, 8 connections');
    stop();
  });

  test('elsewhere there is a line every ten seconds', () => {
    const { at, stop, text } = createProgress(false);
    at(2000, 5);
    at(9900, 20);
    expect(text()).toBe('');
    at(10_000, 25);
    at(12_000, 30);
    expect(text()).toBe('simulating load x1, 8 connections: about 30 s left\n');
    at(20_000, 50);
    expect(text()).toBe('simulating load x1, 8 connections: about 20 s left\n');
    stop();
  });
});
