import { randomUUID } from 'node:crypto';
import { readAttachSettings } from './attach-settings.js';
import { findWatch, watchProcess } from './watched-process.js';

/** @type {(() => void) | undefined} */
let stop;

/**
 * Watches a process that already runs, from the inside, once a connected client shows that it is there: at its next operation
 * or heartbeat. Where the driver is bundled, it looks for clients in the heap instead.
 *
 * @returns {Promise<{ url: string | null, owner: string | null }>} whoever opens `owner` and leaves again ends the watching;
 *   null if something already watches the process. url: null if there is no client; then nothing is watched
 */
export async function attachNow() {
  const before = findWatch();
  if (before) return { url: await before.url(), owner: null };
  const path = `/owner/${randomUUID()}`;
  const watch = watchProcess(readAttachSettings({}), { owner: path });
  stop = watch.close;
  const url = await watch.search();
  stop = undefined;
  if (url === null) watch.close();
  return { url, owner: url && new URL(path, url).href };
}

/** Ends the waiting for a client, and leaves nothing behind. */
export function giveUp() {
  stop?.();
}
