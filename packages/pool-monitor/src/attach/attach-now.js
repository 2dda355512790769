import { randomUUID } from 'node:crypto';
import { readAttachSettings } from './attach-settings.js';
import { loadPage } from './load-page.js';
import { findWatch, watchProcess } from './watched-process.js';

/** @type {(() => void) | undefined} */
let stop;

/**
 * Watches a process that is already running, from the inside, once a connected client shows itself, at its next
 * operation or heartbeat. If the driver is bundled, it looks for clients in the heap instead.
 *
 * @returns {Promise<{ url: string | null, owner: string | null, notWatched?: string | null }>} owner: when a client
 *   that has opened this URL leaves, watching ends; null if the process was already being watched. url: null if there
 *   is no client, and then nothing is watched. notWatched: why, if that is known
 */
export async function attachNow() {
  const before = findWatch();
  if (before) return { url: await before.url(), owner: null };
  const path = `/owner/${randomUUID()}`;
  // Of the app's own settings, only the one that keeps things private.
  const { POOL_MONITOR_ROUTES } = process.env;
  const watch = watchProcess(readAttachSettings({ POOL_MONITOR_ROUTES }), { page: loadPage(), owner: path });
  stop = () => watch.close();
  const url = await watch.search();
  stop = undefined;
  if (url === null) watch.close();
  return { url, owner: url && new URL(path, url).href, notWatched: watch.notWatched };
}

/** Stops waiting for a client, and leaves nothing behind. */
export function giveUp() {
  stop?.();
}
