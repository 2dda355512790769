import { BSON } from 'mongodb';

/** @import { Document } from 'mongodb' */

/**
 * A query to measure, as the user wrote it.
 *
 * @typedef {object} ReadQuery
 * @property {string} route
 * @property {Document} command for the server
 */

/** Commands that only read, and whether they return a cursor. */
const COMMANDS = { find: true, aggregate: true, count: false, distinct: false };
/** Stages and fields that write, or that never end. */
const REFUSED = { $out: 'writes', $merge: 'writes', $changeStream: 'never ends', tailable: 'never ends' };
const ALLOWED = 'write ROUTE=COMMAND with find, aggregate (without $out and $merge), count or distinct, in Extended JSON, such '
  + `as '/report={"aggregate":"orders","pipeline":[{"$match":{"year":2026}}]}'`;

/**
 * @param {string} text such as `/customer={"find":"customers","filter":{"email":"ada@example.com"}}`
 * @returns {ReadQuery}
 * @throws {Error} saying what is wrong and what is allowed
 */
export function parseReadQuery(text) {
  const [, route, json] = /^((?:[A-Z]+ )?(?:\/|\{\{).*?)=(\{.*)$/s.exec(text) ?? [];
  if (!route) throw new Error(`It has no route or no command: ${ALLOWED}.`);
  const command = parseCommand(json);
  const [name] = Object.keys(command);
  if (!Object.hasOwn(COMMANDS, String(name))) throw new Error(`"${name}" is not allowed: ${ALLOWED}.`);
  const refused = findRefused(command);
  if (refused) throw new Error(`"${refused}" ${REFUSED[refused]}, so it is not allowed: ${ALLOWED}.`);
  if (name === 'aggregate' && !Array.isArray(command.pipeline)) throw new Error(`The aggregate has no pipeline: ${ALLOWED}.`);
  return { route, command: name === 'aggregate' ? { ...command, cursor: command.cursor ?? {} } : command };
}

/** @param {Document} command @returns {boolean} whether the server answers with a cursor */
export function returnsCursor(command) {
  const [name] = Object.keys(command);
  return COMMANDS[/** @type {keyof typeof COMMANDS} */ (name)];
}

/** @param {string} json @returns {Document} */
function parseCommand(json) {
  try {
    return BSON.EJSON.parse(json);
  } catch (cause) {
    throw new Error(`The command is not Extended JSON: ${/** @type {Error} */ (cause).message}.`, { cause });
  }
}

/** @param {unknown} value @returns {keyof typeof REFUSED | undefined} anywhere in it, so that no nested pipeline writes */
function findRefused(value) {
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const found = Object.hasOwn(REFUSED, key) ? /** @type {keyof typeof REFUSED} */ (key) : findRefused(inner);
    if (found) return found;
  }
  return undefined;
}
