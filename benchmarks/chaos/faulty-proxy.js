import { setMaxListeners } from 'node:events';
import { Transform } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDelayProxy } from '../../lab/harness/delay-proxy.js';

const PIECE_BYTES = 256;

/**
 * @typedef {{ delayMs: number, bytesPerSec: number }} Conditions in each direction
 * @typedef {Awaited<ReturnType<typeof openFaultyProxy>>} FaultyProxy
 */

/**
 * Opens a proxy to a server on this machine. It can be cut, delayed or throttled while it is in use.
 * @param {number} serverPort
 */
export async function openFaultyProxy(serverPort) {
  const conditions = { delayMs: 0, bytesPerSec: Infinity };
  let changing = new AbortController();

  /** When the conditions change, everything in flight arrives at once. @param {number} ms */
  const wait = (ms) => {
    setMaxListeners(0, changing.signal);
    return sleep(ms, undefined, { signal: changing.signal }).catch(() => {});
  };
  /** A chunk waits before the next one is read, so the chunks behind it wait too. */
  const createPipe = () =>
    new Transform({
      async transform(chunk, encoding, done) {
        if (conditions.delayMs > 0) await wait(conditions.delayMs);
        for (let from = 0; from < chunk.length && conditions.bytesPerSec < Infinity; from += PIECE_BYTES) {
          await wait((PIECE_BYTES / conditions.bytesPerSec) * 1000);
        }
        done(null, chunk);
      },
    });
  const proxy = await openDelayProxy({
    host: '127.0.0.1',
    port: serverPort,
    forward: (from, to) => from.pipe(createPipe()).pipe(to),
  });
  /** @param {Partial<Conditions>} next */
  function change(next) {
    Object.assign(conditions, next);
    changing.abort();
    changing = new AbortController();
  }
  return { ...proxy, change };
}
