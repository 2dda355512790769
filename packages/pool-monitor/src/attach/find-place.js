import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { readStack } from './read-stack.js';

const MAX_FRAMES = 50;
const OWN_FOLDER = path.dirname(fileURLToPath(import.meta.url));
/** The place at the end of a line of a stack. */
const FRAME = /\(?((?:file:\/\/|\/|[A-Za-z]:[\\/])[^()]*):(\d+):\d+\)?$/;

/** @returns {string | undefined} the line of the app's own code that is running, such as `src/db.js:12` */
export function findPlace() {
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
