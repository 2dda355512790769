import { askInspector } from './ask-inspector.js';

/** The listener of @hono/node-server calls `fetch` with an object of these two, also if it is minified. */
const LISTENER = /\bincoming\b[^]*\boutgoing\b/;
/** A listener that calls others, from a list. socket.io puts two of them in the place of those that were there. */
const WRAPPER = /\w\[\w+\]\.call\(/;
const MAX_WRAPPERS = 3;
/** Looks no further than at the variables of that many functions. Each takes about 0.3 ms. */
const MAX_FUNCTIONS = 30;
const FOUND = Symbol.for('mongodb-pool-monitor.scopes');

/**
 * Finds the class of Hono's contexts among the variables that a listener and the functions in them can see. An import
 * leaves no other way to it: an ES module can't be changed from outside, and Hono exports the class to nobody.
 *
 * @param {Function} listener of an HTTP server
 * @returns {any} its prototype; undefined if it is not a listener of Hono, or there is no inspector
 */
export function findHonoContext(listener) {
  const text = String(listener);
  if (!LISTENER.test(text) && !WRAPPER.test(text)) return undefined;
  try {
    return askInspector((ask) => unwrap(listener, ask, MAX_WRAPPERS));
  } catch {
    return undefined;
  }
}

/**
 * @param {Function} listener
 * @param {(method: string, params: object) => any} ask
 * @param {number} wrappers that it may have around it
 * @returns {any} see findHonoContext
 */
function unwrap(listener, ask, wrappers) {
  const text = String(listener);
  if (LISTENER.test(text)) return search(listener, ask);
  if (wrappers === 0 || !WRAPPER.test(text)) return undefined;
  const inLists = listVariables(listener, ask).filter(Array.isArray).flat();
  const inner = inLists.filter((each) => typeof each === 'function');
  const [found] = inner.flatMap((each) => unwrap(each, ask, wrappers - 1) ?? []);
  return found;
}

/** @param {Function} listener @param {(method: string, params: object) => any} ask */
function search(listener, ask) {
  /** @type {Set<Function>} */
  const seen = new Set();
  const next = [listener];
  while (next.length > 0 && seen.size < MAX_FUNCTIONS) {
    const from = /** @type {Function} */ (next.shift());
    if (seen.has(from)) continue;
    seen.add(from);
    const values = listVariables(from, ask);
    const found = values.flatMap((value) => [value, read(value, 'Context')]).find(isContextClass);
    if (found) return found.prototype;
    // The listener calls the app's `fetch`, or a function that does.
    const ofApps = values.flatMap((value) => (Array.isArray(read(value, 'routes')) ? value.fetch : []));
    next.unshift(...[...ofApps, ...values].filter((value) => typeof value === 'function'));
  }
  return undefined;
}

/** @param {any} value one that may throw at a name that it does not know @param {string} name */
function read(value, name) {
  try {
    return Object(value)[name];
  } catch {
    return undefined;
  }
}

/** @param {any} value */
function isContextClass(value) {
  const prototype = typeof value === 'function' && value.prototype;
  return prototype && ['req', 'executionCtx'].every((name) => Object.getOwnPropertyDescriptor(prototype, name)?.get);
}

/**
 * Lists the values of the variables that a function can see, without global ones, the innermost first.
 *
 * @param {Function} from
 * @param {(method: string, params: object) => any} ask
 * @returns {any[]}
 */
function listVariables(from, ask) {
  const shared = /** @type {any} */ (globalThis);
  const name = `globalThis[Symbol.for(${JSON.stringify(FOUND.description)})]`;
  shared[FOUND] = from;
  try {
    const { result } = ask('Runtime.evaluate', { expression: name });
    const { internalProperties = [] } = ask('Runtime.getProperties', {
      objectId: result.objectId,
      ownProperties: true,
    });
    const scopes = internalProperties.find((/** @type {any} */ property) => property.name === '[[Scopes]]');
    if (!scopes) return [];
    shared[FOUND] = [];
    ask('Runtime.callFunctionOn', {
      objectId: scopes.value.objectId,
      functionDeclaration: `function () {
        for (const { object } of Array.from(this)) if (object !== globalThis) ${name}.push(...Object.values(object));
      }`,
    });
    return shared[FOUND];
  } finally {
    delete shared[FOUND];
  }
}
