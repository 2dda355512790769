import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { readStack } from './read-stack.js';

/** @import { MongoClient } from 'mongodb' */

/** The driver's, for a URI without one. It tells clients apart no better than nothing. */
const DEFAULT_DATABASE = 'test';
const MAX_FRAMES = 50;
const OWN_FOLDER = path.dirname(fileURLToPath(import.meta.url));
/** The place at the end of a line of a stack. */
const FRAME = /\(?((?:file:\/\/|\/|[A-Za-z]:[\\/])[^()]*):(\d+):\d+\)?$/;

/**
 * Names a client by what its app calls it, else by its database, else by the place that connects it, else by its hosts.
 * The same client has the same name in each process of a cluster, and after a restart.
 *
 * @param {MongoClient} client
 * @param {Set<string | null>} taken
 * @returns {string} not taken
 */
export function pickClientName(client, taken) {
  const { appName, dbName, hosts } = client.options;
  const names = [appName, dbName === DEFAULT_DATABASE ? undefined : dbName];
  const isFree = (/** @type {string | undefined} */ name) => Boolean(name) && !taken.has(/** @type {string} */ (name));
  // A client that has connected may be in use anywhere.
  if (!names.some(isFree) && !(/** @type {any} */ (client).topology)) names.push(findPlace());
  names.push(Array.from(hosts ?? [], String).join(','));
  const [first = 'client'] = names.filter(Boolean);
  const free = names.find(isFree);
  if (free) return free;
  let number = 2;
  while (taken.has(`${first} (${number})`)) number += 1;
  return `${first} (${number})`;
}

/** @returns {string | undefined} the line of the app's own code that is running, such as `src/db.js:12` */
function findPlace() {
  for (const line of readStack(MAX_FRAMES).split('\n')) {
    const [, place, number] = FRAME.exec(line) ?? [];
    if (!place) continue;
    const file = place.startsWith('file:') ? fileURLToPath(place) : place;
    if (file.startsWith(OWN_FOLDER) || /[\\/]node_modules[\\/]/.test(file)) continue;
    const relative = path.relative(process.cwd(), file);
    return `${relative.startsWith('..') ? path.basename(file) : relative.replaceAll('\\', '/')}:${number}`;
  }
  return undefined;
}
