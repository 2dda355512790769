import { createServerLoadReader } from './server-load.js';

/** @import { MongoClient } from 'mongodb' */
/** @import { ServerStatusLoad } from './server-load.js' */

/** A server that hangs does not answer at all. A busy one answers within this time. */
const MAX_READ_MS = 5000;
/** Without a reading for this long, nobody watches any more. */
const IDLE_MS = 10_000;

/**
 * Reads the load of a server over a separate connection, because one of the app's pool would be missing there. It is
 * opened by the first reading, and closed when there have been none for ten seconds.
 *
 * @param {() => MongoClient} createClient not connected, with a pool of 1
 */
export function createServerWatch(createClient) {
  /** @type {{ client: MongoClient, readLoad: ReturnType<typeof createServerLoadReader> } | undefined} */
  let open;
  /** Readings at the same time are one. @type {Promise<ServerStatusLoad> | undefined} */
  let reading;
  /** @type {NodeJS.Timeout | undefined} */
  let timer;

  async function read() {
    clearTimeout(timer);
    if (!open) {
      const client = createClient();
      open = { client, readLoad: createServerLoadReader(client) };
    }
    const signal = AbortSignal.timeout(MAX_READ_MS);
    try {
      return await open.readLoad({ signal });
    } catch (cause) {
      if (!signal.aborted) throw cause;
      throw new Error(`the server has not answered for ${MAX_READ_MS} ms`, { cause });
    } finally {
      timer = setTimeout(() => void close().catch(() => {}), IDLE_MS).unref();
    }
  }

  async function close() {
    clearTimeout(timer);
    const closing = open;
    open = undefined;
    await closing?.client.close();
  }

  return {
    /** @throws when the server can't be reached */
    read: () =>
      (reading ??= read().finally(() => {
        reading = undefined;
      })),
    close,
  };
}
