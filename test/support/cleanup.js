import { afterAll } from '@jest/globals';

/** @type {(() => unknown)[]} */
const closers = [];

/** Have something closed after the last test of this file, what was opened last first. @param {() => unknown} close */
export function cleanUp(close) {
  closers.push(close);
}

afterAll(async () => {
  while (closers.length > 0) await closers.pop()?.();
});
