import { PassThrough } from 'node:stream';
import { expect, test } from '@jest/globals';
import { confirm } from '../../cli/confirm.js';

/** @param {string} typed @param {AbortSignal} [signal] */
function ask(typed, signal = new AbortController().signal) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  input.end(typed);
  return confirm('Go on?', { input, output, signal });
}

test.each([
  ['y\n', true],
  ['Yes\n', true],
  ['n\n', false],
  ['\n', false],
  ['yesterday\n', false],
  ['', false],
])('typing %j means %p', async (typed, yes) => {
  expect(await ask(typed)).toBe(yes);
});

test('a signal ends the question', async () => {
  const interrupt = new AbortController();
  const asked = confirm('Go on?', { input: new PassThrough(), output: new PassThrough(), signal: interrupt.signal });
  interrupt.abort(new Error('Interrupted'));
  await expect(asked).rejects.toThrow('Interrupted');
});
