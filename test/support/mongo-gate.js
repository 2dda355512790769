import { sharedMongoUrl } from 'test-support/mongod.js';
import { openTcpProxy } from 'test-support/network.js';

/** The names of the app's clients in their handshakes: BSON strings end with a zero byte. */
const CLIENT = /\0(mongodb-pool-lab[\w-]*)\0/;

/**
 * Opens a gate to the MongoDB that all tests share. A query behind it takes as long as the test wants. It ends with the
 * test file.
 */
export async function openMongoGate() {
  /** @type {string | null} */
  let held = null;
  /** @type {(() => void)[]} */
  let waiting = [];
  const { port } = await openTcpProxy(Number(new URL(sharedMongoUrl()).port), (from, to) => {
    /** @type {string | undefined} */
    let client;
    from.on('data', (chunk) => {
      client ??= CLIENT.exec(chunk.toString('latin1'))?.[1];
      if (held !== null && client === held) waiting.push(() => to.write(chunk));
      else to.write(chunk);
    });
    from.on('end', () => to.end());
  });
  return {
    // Heartbeats are held back too: the app may not mind for a while.
    url: `mongodb://127.0.0.1:${port}/?directConnection=true&heartbeatFrequencyMS=60000`,
    /** Holds back what one of the app's clients sends. */
    hold(client = 'mongodb-pool-lab') {
      held = client;
    },
    /** Forwards what was held back, and everything after it. */
    release() {
      held = null;
      for (const send of waiting) send();
      waiting = [];
    },
  };
}
