import { PassThrough } from 'node:stream';
import { expect, test } from '@jest/globals';
import { createStatusLine } from '../../src/cli/status-line.js';
import { until } from '../support/until.js';

/** @param {object} terminal */
function openStream(terminal) {
  const stream = Object.assign(new PassThrough(), {
    cursorTo: (/** @type {number} */ x) => stream.write(`<to ${x}>`), clearLine: () => stream.write('<clear>'), ...terminal,
  });
  return /** @type {any} */ (stream);
}

test('a terminal has one line that changes, and lines that remain above it', async () => {
  const stream = openStream({ isTTY: true, columns: 50 });
  let said = '';
  stream.on('data', (/** @type {Buffer} */ chunk) => { said += chunk; });
  const status = createStatusLine(stream, () => 'too long '.repeat(10), 1);
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
  stream.on('data', (/** @type {Buffer} */ chunk) => { said += chunk; });
  const status = createStatusLine(stream, () => 'a line that is long', 1);
  await until('two lines', () => said.includes('a line that is long\na line that is long\n'));
  status.stop();
  expect(said).not.toContain('<');
});
