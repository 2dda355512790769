import { isDurationMs } from '../base/duration.js';
import { isRecord } from '../base/json-value.js';
import { OUTCOMES } from './recorded-trace.js';

/**
 * What a field may be. trace.schema.json says the same, and a test compares them.
 *
 * @typedef {[isValid: (value: any) => boolean, allowed: string]} Rule
 * @typedef {Record<string, Rule>} Rules
 * @typedef {{ required: Rules, optional: Rules }} LineRules
 */

/** A clock may count from any moment, provided that milliseconds stay exact. */
const MAX_START_MS = Number.MAX_SAFE_INTEGER;
const MAX_OVERHEADS = 200;
/** More than any machine has. */
const MAX_CORES = 1e5;
const MAX_ID = 2 ** 31 - 2;
const ORIGINS = ['uri', 'code', 'default', 'lab'];
const MS = 'a number of ms from 0 to 365 days';

/** @type {Rule} */
const text = [(value) => typeof value === 'string', 'text'];
/** @type {Rule} */
const textOrNull = [(value) => value === null || typeof value === 'string', 'text or null'];
/** @type {Rule} */
const flag = [(value) => typeof value === 'boolean', 'true or false'];
/** @type {Rule} */
const object = [isRecord, 'an object'];
/** @type {Rule} */
const count = [(value) => Number.isSafeInteger(value) && value >= 0, 'a whole number of at least 0'];
/** @type {Rule} */
const id = [(value) => Number.isInteger(value) && value >= 0 && value <= MAX_ID, `a whole number from 0 to ${MAX_ID}`];
/** @type {Rule} */
const startMs = [
  (value) => typeof value === 'number' && Math.abs(value) <= MAX_START_MS,
  `a number of ms from -${MAX_START_MS} to ${MAX_START_MS}`,
];
/** @type {Rule} */
const durationMs = [isDurationMs, MS];
/** @type {Rule} */
const positiveMs = [(value) => isDurationMs(value) && value > 0, 'a number of ms above 0'];
/** @type {Rule} */
const cores = [(value) => typeof value === 'number' && value >= 0 && value <= MAX_CORES, `a number up to ${MAX_CORES}`];
/** @param {readonly string[]} values @returns {Rule} */
const oneOf = (values) => [(value) => values.includes(value), values.join(' or ')];
/** @type {Rule} */
const overhead = [isOverhead, `{"kind":"sample","valuesMs":[...]} with 1 to ${MAX_OVERHEADS} values, each ${MS}`];
/** @type {Rule} */
const server = [isServer, `{"cores":2,"busyCores":1.5} with numbers up to ${MAX_CORES}, cores above 0`];
/** @type {Rule} */
const waiting = [
  (value) => isRecord(value) && count[0](value.count) && durationMs[0](value.waitedMs),
  `{"count":8,"waitedMs":31000} with a whole number and ${MS}`,
];
/** @type {Rule} */
const behind = [isBehind, 'a list of [route, operation, request, ...] with whole numbers of at least -1'];
/** @type {Rule} */
const options = [
  (value) => isRecord(value) && Object.values(value).every(isOption),
  `{"maxPoolSize":{"value":10,"from":"uri"}} with ${ORIGINS.join(', ')}`,
];

/** Fields of the first line beside its format. @type {Rules} */
export const HEADER_RULES = {
  startedAt: [text[0], 'a time as text'],
  pool: object,
  overhead,
  resolutionMs: positiveMs,
  server: object,
  history: flag,
};

/** @type {LineRules} */
export const END_RULES = {
  required: { end: oneOf(['closed', 'full']) },
  optional: { overhead, server, silentMs: durationMs, lost: count, waiting },
};

/** @type {LineRules} */
const CHECKOUT_RULES = {
  required: { atMs: startMs, waitMs: durationMs, pool: id },
  optional: {
    useMs: durationMs,
    openingMs: durationMs,
    connection: [(value) => count[0](value) && value < 2 ** 31, count[1]],
    fresh: flag,
    outcome: oneOf(OUTCOMES),
    reason: text,
    route: id,
    operation: id,
    request: count,
    transaction: id,
    holds: id,
    behind,
  },
};

/** @type {LineRules} */
export const REQUEST_RULES = {
  required: {
    request: count,
    atMs: startMs,
    durationMs,
    status: [(value) => id[0](value) && value < 1000, 'an HTTP status'],
  },
  optional: { process: id, route: id, socket: [(value) => count[0](value) && value < 2 ** 31, count[1]] },
};

/** Rules for each thing that a line can define. @type {Record<string, LineRules>} */
export const DEFINITION_RULES = {
  process: { required: { id }, optional: { pid: count, command: text, url: text, attached: flag, node: text } },
  pool: {
    required: { id },
    optional: {
      process: id,
      name: textOrNull,
      address: text,
      appName: text,
      driver: text,
      options,
    },
  },
  route: { required: { id, name: text }, optional: {} },
  operation: { required: { id, name: text }, optional: { kind: oneOf(['changeStream', 'tailableCursor']) } },
};

const pool = { atMs: startMs, pool: id };
const connection = { ...pool, connection: CHECKOUT_RULES.optional.connection };
/** Rules for each event. @type {Record<string, LineRules>} */
export const EVENT_RULES = {
  connectionReady: { required: connection, optional: { durationMs } },
  connectionClosed: { required: connection, optional: { reason: text, durationMs } },
  poolCleared: { required: pool, optional: { reason: text } },
  loop: {
    required: { atMs: startMs, meanMs: durationMs, maxMs: durationMs },
    optional: { process: id, busy: cores, cpu: cores, requests: count, waiting: count, heldMs: object },
  },
  server: {
    required: { atMs: startMs },
    optional: {
      process: id,
      cores,
      busyCores: cores,
      otherBusyCores: cores,
      ticketsOut: count,
      ticketsTotal: count,
      queued: count,
      connectionLimit: count,
    },
  },
  clients: {
    required: { atMs: startMs, hosts: text, created: count, closed: count },
    optional: { process: id, place: textOrNull, connections: count },
  },
};

/** @param {Record<string, any>} entry @param {LineRules} rules @returns {string | undefined} the first complaint */
export function findFault(entry, { required, optional }) {
  for (const name in required) {
    const [isValid, allowed] = required[name];
    if (!isValid(entry[name])) return `${name} must be ${allowed}`;
  }
  return findOptionalFault(entry, optional);
}

/** @param {Record<string, any>} entry @param {Rules} rules @returns {string | undefined} */
export function findOptionalFault(entry, rules) {
  for (const name in rules) {
    const value = entry[name];
    if (value !== undefined && !rules[name][0](value)) return `${name} must be ${rules[name][1]}`;
  }
  return undefined;
}

/** @param {Record<string, any>} entry @returns {string | undefined} the first complaint */
export function findCheckoutFault(entry) {
  const { useMs, outcome = 'checkedIn' } = entry;
  const fault = findFault(entry, CHECKOUT_RULES);
  if (fault) return fault;
  const gotNone = ['checkOutFailed', 'checkOutAborted', 'waiting'].includes(outcome);
  if ((useMs === undefined) === gotNone) return undefined;
  return gotNone ? `${outcome} got no connection, so it has no useMs` : `useMs must be ${MS}`;
}

/** @param {any} value */
function isServer(value) {
  if (!isRecord(value)) return false;
  const { otherBusyCores = 0 } = value;
  return value.cores > 0 && [value.cores, value.busyCores, otherBusyCores].every(cores[0]);
}

/** @param {any} value */
function isOverhead(value) {
  if (!isRecord(value) || value.kind !== 'sample' || !Array.isArray(value.valuesMs)) return false;
  return value.valuesMs.length >= 1 && value.valuesMs.length <= MAX_OVERHEADS && value.valuesMs.every(isDurationMs);
}

/** @param {any} groups */
function isBehind(groups) {
  return Array.isArray(groups) && groups.every(isGroup);
}

/** @param {any} group */
function isGroup(group) {
  if (!Array.isArray(group) || group.length < 3) return false;
  return group.every((value) => value === -1 || count[0](value)) && group[0] <= MAX_ID && group[1] <= MAX_ID;
}

/** @param {any} option */
function isOption(option) {
  const { value, from } = Object(option);
  return isRecord(option) && value !== undefined && (from === undefined || ORIGINS.includes(from));
}
