/** @import { AttachedClient, AttachedProcess } from '../harness/attach-reports.js' */

const ALIKE = 'They have the same options and come from the same line, so give each an appName of its own';

/**
 * Lists the clients whose pools get other sizes.
 *
 * @param {AttachedProcess[]} processes
 * @param {string} [only] name of the only client; default: all
 * @returns {AttachedClient[]} at most one in each process if there is a name
 * @throws {Error} naming the clients of the app, unless the name stands for one of them
 */
export function listChosen(processes, only) {
  const all = processes.flatMap(({ clients }) => clients);
  if (only === undefined) return all;
  const chosen = processes.map(({ clients }) => clients.filter(({ isChosen }) => isChosen));
  const several = chosen.find((clients) => clients.length > 1)?.map(({ name }) => name);
  if (several) {
    const areAlike = several.every((name) => name === several[0] || name?.startsWith(`${several[0]} (`));
    const advice = areAlike ? ALIKE : 'Choose one of these';
    throw new Error(`The app has ${several.length} clients ${only}: ${several.join(', ')}. ${advice}`);
  }
  const found = chosen.flat();
  if (found.length > 0) return found;
  const names = [...new Set(all.map(({ name }) => name))].join(', ');
  // A number says which one connected first, and the next time that may be another one.
  if (all.some(({ name }) => name === only)) throw new Error(`${only} is one of the app's clients ${names}. ${ALIKE}`);
  throw new Error(`The app has no client ${only}, only ${names}`);
}
