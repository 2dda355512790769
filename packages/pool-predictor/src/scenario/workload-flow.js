import { LONGEST_MS, parseDurationMs } from '../duration.js';
import { textOf } from '../text-of.js';

/** @import { Step, ThinkStep } from '../simulator/flow.js' */
/** @import { Issues } from './workload-issues.js' */
/** @import { Path } from './yaml-source.js' */

const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options'];
const CODE_HOOKS = ['beforeRequest', 'afterResponse'];

/**
 * @typedef {object} FlowContext
 * @property {Issues} issues
 * @property {unknown} jitter default for every think
 * @property {(path: Path, request: { method: string, url: string, route: string }) => void} onRequest called for each request
 */

/**
 * Reads one step of a flow as Artillery's HTTP engine does:
 * https://github.com/artilleryio/artillery/blob/main/packages/artillery/lib/core/engine_http.ts
 *
 * @param {any} step
 * @param {Path} path
 * @param {FlowContext} context
 * @returns {Step[]} none for a step that takes no time or is refused
 */
export function readStep(step, path, context) {
  const { issues } = context;
  const keys = typeof step === 'object' && step !== null ? Object.keys(step) : [];
  if (keys.includes('loop')) return readLoop(step, path, context);
  if (keys.includes('think')) {
    return issues.attempt(path, () => [readThink(step, context.jitter)]) ?? [];
  }
  if (keys.includes('log')) return [];
  const method = keys.find((key) => METHODS.includes(key));
  if (method) return readRequest(step[method], [...path, method], context);
  issues.refuse(path, `the step "${keys[0] ?? textOf(step)}" is not supported: `
    + `allowed are ${METHODS.join(', ')}, think, loop and log`);
  return [];
}

/** @type {typeof readStep} */
function readLoop(step, path, context) {
  if (step.whileTrue !== undefined) {
    context.issues.refuse([...path, 'whileTrue'], 'whileTrue runs code to decide how often to loop: write a count');
    return [];
  }
  if (!Array.isArray(step.loop)) {
    context.issues.refuse([...path, 'loop'], 'loop must be a list of steps');
    return [];
  }
  const count = context.issues.attempt(path, () => readCount(step));
  const steps = step.loop.flatMap((/** @type {unknown} */ inner, /** @type {number} */ index) =>
    readStep(inner, [...path, 'loop', index], context));
  return count === undefined ? [] : [{ kind: 'loop', count, steps }];
}

/**
 * A count, the length of a list, or a range such as 1-15 (14 rounds: the last number is not included).
 *
 * @param {{ count?: unknown, over?: unknown }} step
 */
function readCount({ count, over }) {
  if (Array.isArray(over)) return over.length;
  if (over !== undefined) throw new Error('a loop over a variable: its length is unknown');
  const range = /^(\d{1,9})-(\d{1,9})$/.exec(textOf(count));
  if (range) return Math.max(0, Number(range[2]) - Number(range[1]));
  const rounds = Number(textOf(count ?? NaN));
  if (!Number.isSafeInteger(rounds) || rounds < 1) {
    throw new Error(`a loop needs a count of at least 1, not ${JSON.stringify(count)}`);
  }
  return rounds;
}

/** @param {{ think: unknown, jitter?: unknown }} step @param {unknown} defaultJitter @returns {ThinkStep} */
function readThink(step, defaultJitter) {
  const ms = parseDurationMs(step.think);
  const jitter = step.jitter ?? defaultJitter;
  if (jitter === undefined) return { kind: 'think', ms };
  const [, number, percent] = /^(\d+)(%?)$/.exec(textOf(jitter)) ?? [];
  const jitterMs = percent ? (ms * Number(number)) / 100 : Number(number);
  if (!(jitterMs <= LONGEST_MS)) {
    throw new Error(`jitter must be a number of ms or a percentage, not ${JSON.stringify(jitter)}`);
  }
  return { kind: 'think', ms, jitterMs };
}

/** @type {typeof readStep} */
function readRequest(params, path, { issues, onRequest }) {
  const url = params?.url ?? params?.uri;
  if (typeof url !== 'string') {
    issues.refuse(path, 'a request needs a url');
    return [];
  }
  for (const key of ['ifTrue', 'probability']) {
    if (params[key] !== undefined) issues.refuse([...path, key], `${key}: only requests that are always sent can be simulated`);
  }
  for (const key of CODE_HOOKS) {
    if (params[key] !== undefined) issues.warn([...path, key], `${key} is not run`);
  }
  for (const key of ['capture', 'match']) {
    if (params[key] !== undefined) issues.warn([...path, key], `${key} is assumed to succeed`);
  }
  const route = routeOf(url);
  onRequest(path, { method: String(path.at(-1)), url, route });
  if (route.includes('{{')) issues.warn([...path, 'url'], `${route} counts as one route`);
  return [{ kind: 'request', route }];
}

/** The path, without host, query string or fragment. @param {string} url */
function routeOf(url) {
  const [route] = url.replace(/^https?:\/\/[^/?#]*/i, '').split(/[?#]/);
  return route || '/';
}
