import { randomUUID } from 'node:crypto';
import { readAttachSettings } from './attach-settings.js';
import { findWatch, watchProcess } from './watched-process.js';

/**
 * Watches a process that already runs, from the inside. It looks for clients in the heap, which stops the process for a
 * moment.
 *
 * @returns {Promise<{ url: string | null, owner: string | null }>} whoever opens `owner` and leaves again ends the watching;
 *   null if something already watches the process. url: null if there is no client; then nothing is watched
 */
export async function attachNow() {
  const before = findWatch();
  if (before) return { url: await before.url(), owner: null };
  const path = `/owner/${randomUUID()}`;
  const watch = watchProcess(readAttachSettings({}), { owner: path });
  watch.search();
  const url = await watch.url();
  if (url === null) watch.close();
  return { url, owner: url && new URL(path, url).href };
}
