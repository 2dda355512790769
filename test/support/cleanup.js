import { afterAll } from '@jest/globals';

/** @type {(() => unknown)[]} */
const closers = [];

/** Close something after the last test of this file, in reverse order. @param {() => unknown} close */
export function cleanUp(close) {
  closers.push(close);
}

afterAll(async () => {
  while (closers.length > 0) await closers.pop()?.();
});
