import { setMaxListeners } from 'node:events';
import { Transform } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { openHop } from '../../src/bench/hop.js';

const PIECE_BYTES = 256;

/**
 * A line to a server on this machine that can be cut, and made slow or narrow while it is in use.
 * @param {number} farPort
 */
export async function openLine(farPort) {
  const way = { delayMs: 0, bytesPerSec: Infinity };
  let changing = new AbortController();

  /** What is under way when the line changes arrives at once. */
  const wait = (ms) => {
    setMaxListeners(0, changing.signal);
    return sleep(ms, undefined, { signal: changing.signal }).catch(() => {});
  };
  /** Each chunk waits before the next is taken, so that what is behind waits too. */
  const createWay = () => new Transform({
    async transform(chunk, encoding, done) {
      if (way.delayMs > 0) await wait(way.delayMs);
      for (let from = 0; from < chunk.length && way.bytesPerSec < Infinity; from += PIECE_BYTES) {
        await wait(PIECE_BYTES / way.bytesPerSec * 1000);
      }
      done(null, chunk);
    },
  });
  const hop = await openHop({
    host: '127.0.0.1', port: farPort, carry: (from, to) => from.pipe(createWay()).pipe(to),
  });
  function change(to) {
    Object.assign(way, to);
    changing.abort();
    changing = new AbortController();
  }
  return { ...hop, change };
}
