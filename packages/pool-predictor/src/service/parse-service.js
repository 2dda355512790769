import { isDurationMs } from '../base/duration.js';
import { MAX_QUERIES, checkService } from './app-services.js';

/** @import { Service } from '../simulator/service-time.js' */

const ALLOWED =
  'write ROUTE=MS, ROUTE=exponential:MEAN_MS, ROUTE=lognormal:MEDIAN_MS,SIGMA, or ROUTE=none if it makes no ' +
  'query, such as /slow=5000 or /fast=lognormal:2,0.5; ROUTE=MS+MS for queries one after another and ROUTE=MS|MS for ' +
  "queries at once, such as '/orders=12+30|40+5'; ROUTE=work:TIME for work that the server's cores do, and " +
  'ROUTE=DELAY_MS+work:MS for both, such as /report=5+work:32';

const ALLOWED_QUERIES = `write ROUTE=N with N from 1 to ${MAX_QUERIES}, such as /orders=3`;

/** A path, perhaps with a method before it, or a URL that begins with a template. */
const ROUTE = /^(?:[A-Z]+ )?(?:\/|\{\{)/;

/**
 * @param {string} text such as /slow=5000
 * @param {string} allowed for the error
 * @returns {[route: string, value: string]}
 * @throws {Error} when it has no route
 */
function splitRoute(text, allowed) {
  const equals = text.lastIndexOf('=');
  if (equals === -1 || !ROUTE.test(text)) throw new Error(`"${text}" has no route: ${allowed}`);
  return [text.slice(0, equals), text.slice(equals + 1)];
}

/** @param {string} text such as /slow=5000 @returns {{ route: string, service: Service }} */
function parseService(text) {
  const [route, value] = splitRoute(text, ALLOWED);
  if (value === 'none') return { route, service: { kind: 'none' } };
  const turns = parseTurns(value);
  if (turns) return { route, service: { kind: 'requests', requests: [{ queriesMs: turns, restMs: 0 }] } };
  const [, delay, work, time] = /^(?:(?:(\S+)\+)?(work):)?(.*)$/s.exec(value) ?? [];
  const [, kind = 'fixed', list] = /^(?:([a-z]+):)?(.*)$/s.exec(time) ?? [];
  const numbers = list.split(',').map((part) => (part.trim() === '' ? NaN : Number(part)));
  try {
    const service = toService(kind, numbers);
    return { route, service: checkService(work ? addWork(service, delay) : service) };
  } catch (cause) {
    throw new Error(`"${text}" is not a service time: ${ALLOWED}; times go up to 365 days`, { cause });
  }
}

/**
 * @param {string} value such as 12+30|40+5
 * @returns {number[][] | undefined} undefined unless these are several queries
 */
function parseTurns(value) {
  if (!/^[\d.]+([+|][\d.]+)+$/.test(value)) return undefined;
  const turns = value.split('+').map((turn) => turn.split('|').map(Number));
  if (!turns.flat().every(isDurationMs) || turns.flat().length > MAX_QUERIES) return undefined;
  return turns;
}

/** @param {string} kind @param {number[]} numbers @returns {Service | undefined} */
function toService(kind, numbers) {
  const [first, second] = numbers;
  if (kind === 'fixed' && numbers.length === 1) return { kind, ms: first };
  if (kind === 'exponential' && numbers.length === 1) return { kind, meanMs: first };
  if (kind === 'lognormal' && numbers.length === 2) return { kind, medianMs: first, sigma: second };
  return undefined;
}

/** @param {Service | undefined} service the work @param {string} [delay] in ms, before a fixed time of work */
function addWork(service, delay) {
  if (!service || delay === undefined) return { ...service, workShare: 1 };
  if (service.kind !== 'fixed' || delay.trim() === '') return undefined;
  const ms = Number(delay) + service.ms;
  return { kind: 'fixed', ms, workShare: ms > 0 ? service.ms / ms : 0 };
}

/**
 * Parses service times, in ms: `/slow=5000`, `/x=exponential:MEAN`, `/x=lognormal:MEDIAN,SIGMA`, or `/livez=none` for a
 * route that makes no query. `/x=12+30|40` are a query of 12 ms and then two at once. `/x=work:TIME` is work for the
 * server's cores, `/x=DELAY+work:MS` a delay and then work.
 *
 * @param {string[]} texts
 * @returns {Record<string, Service>} by route
 * @throws {Error} naming the text that is wrong and what is allowed
 */
export function parseServices(texts) {
  /** @type {Record<string, Service>} */
  const services = {};
  for (const { route, service } of texts.map(parseService)) {
    if (Object.hasOwn(services, route)) throw new Error(`${route} has two service times: give only one`);
    services[route] = service;
  }
  return services;
}

/**
 * Parses how many queries a request of a route makes, one after another: `/orders=3`.
 *
 * @param {string[]} texts
 * @returns {Record<string, number>} by route
 * @throws {Error} naming the text that is wrong and what is allowed
 */
export function parseQueries(texts) {
  /** @type {Record<string, number>} */
  const queries = {};
  for (const text of texts) {
    const [route, value] = splitRoute(text, ALLOWED_QUERIES);
    const count = /^\d+$/.test(value) ? Number(value) : NaN;
    if (count === 0) throw new Error(`"${text}": write --service ${route}=none for a route that makes no query`);
    if (!(count <= MAX_QUERIES)) throw new Error(`"${text}" is not a number of queries: ${ALLOWED_QUERIES}`);
    if (Object.hasOwn(queries, route)) throw new Error(`${route} has two numbers of queries: give only one`);
    queries[route] = count;
  }
  return queries;
}
