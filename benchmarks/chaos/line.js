import { once, setMaxListeners } from 'node:events';
import { connect, createServer } from 'node:net';
import { Transform } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

const PIECE_BYTES = 256;

/**
 * A line to a server on this machine that can be cut, and made slow or narrow while it is in use.
 * @param {number} farPort
 */
export async function openLine(farPort) {
  const sockets = new Set();
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
  const server = createServer({ noDelay: true }, (near) => {
    const far = connect({ port: farPort, host: '127.0.0.1', noDelay: true });
    for (const [from, to] of [[near, far], [far, near]]) {
      sockets.add(from);
      from.pipe(createWay()).pipe(to);
      // Breaking is what the line is for.
      from.on('error', () => {});
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  async function open(port) {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return server.address().port;
  }
  function cut() {
    server.close();
    for (const socket of sockets) socket.destroy();
  }
  function change(to) {
    Object.assign(way, to);
    changing.abort();
    changing = new AbortController();
  }
  const port = await open(0);
  return { port, cut, restore: () => open(port), change };
}
