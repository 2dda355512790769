import { MAX_DURATION_MS, parseDurationMs } from '../base/duration.js';
import { textOf } from '../base/json-value.js';
import { METHODS, leadingTemplates } from './route-names.js';
import { readRequest } from './workload-request.js';

/** @import { FlowStep, ThinkStep } from '../simulator/flow.js' */
/** @import { DataLists } from './user-data.js' */
/** @import { Endpoint, TemplateValues } from './route-names.js' */
/** @import { Issues } from './workload-issues.js' */
/** @import { YamlPath } from './yaml-source.js' */

/** A longer loop over a list, with the loops in it, is not written out: its URLs count as one. */
const MAX_ROUNDS = 1000;

/**
 * @typedef {object} FlowContext
 * @property {Issues} issues
 * @property {unknown} target of the scenario; requests to other hosts are not the app's
 * @property {boolean} skipFunctions leave out function steps instead of refusing them
 * @property {unknown} jitter default for every think
 * @property {TemplateValues} values of templates
 * @property {number} rounds of the surrounding loops that are written out
 * @property {DataLists} lists that a loop can go through
 * @property {(path: YamlPath, endpoint: Endpoint) => void} onRequest called for each request
 */

/**
 * Reads one step of a flow as Artillery's HTTP engine does:
 * https://github.com/artilleryio/artillery/blob/main/packages/artillery/lib/core/engine_http.ts
 *
 * @param {any} step
 * @param {YamlPath} path
 * @param {FlowContext} context
 * @returns {FlowStep[]} none for a step that takes no time or is refused
 */
export function readStep(step, path, context) {
  const { issues } = context;
  const keys = typeof step === 'object' && step !== null ? Object.keys(step) : [];
  if (keys.includes('loop')) return readLoop(step, path, context);
  if (keys.includes('think')) {
    return issues.attempt(path, () => [readThink(step, context.jitter)]) ?? [];
  }
  if (keys.includes('log')) return [];
  if (keys.includes('function')) return readFunction(step, path, context);
  const method = keys.find((key) => METHODS.includes(key));
  if (method) return readRequest(step[method], [...path, method], context);
  issues.refuse(
    path,
    `the step "${keys[0] ?? textOf(step)}" is not supported: ` +
      `allowed are ${METHODS.join(', ')}, think, loop and log`,
  );
  return [];
}

/** @type {typeof readStep} */
function readFunction(step, path, { issues, skipFunctions }) {
  const name = `the function step ${textOf(step.function)}`;
  if (skipFunctions)
    issues.warn(path, `${name} is left out: it takes no time here, and what it sends or sets is missing`);
  else issues.refuse(path, `${name} runs code, which can't be simulated: --skip-functions goes on without it`);
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
  const over = typeof step.over === 'string' ? (context.lists(step.over) ?? step.over) : step.over;
  const name = textOf(step.loopElement ?? '$loopElement');
  const templates = leadingTemplates(step.loop).filter((template) => template.split(/[.[]/, 1)[0] === name);
  const readBody = (/** @type {FlowContext} */ inside) =>
    step.loop.flatMap((/** @type {unknown} */ inner, /** @type {number} */ index) =>
      readStep(inner, [...path, 'loop', index], inside),
    );
  const rounds = Array.isArray(over) && templates.length > 0 ? context.rounds * over.length : Infinity;
  if (rounds <= MAX_ROUNDS) {
    return over.flatMap((/** @type {unknown} */ element) =>
      readBody({
        ...context,
        rounds,
        values: {
          ...context.values,
          ...Object.fromEntries(
            templates.map((template) => [template, memberOf(element, template.slice(name.length))]),
          ),
        },
      }),
    );
  }
  if ((step.count ?? over ?? undefined) === undefined) refuseCounts(step.loop, [...path, 'loop'], context);
  const count = context.issues.attempt(path, () => readCount({ ...step, over }));
  const steps = readBody(context);
  return count === undefined ? [] : [{ kind: 'loop', count, steps }];
}

/**
 * Finds a count in a step of a loop, instead of beside the loop.
 * @param {any[]} steps
 * @param {YamlPath} path
 * @param {FlowContext} context
 */
function refuseCounts(steps, path, { issues }) {
  for (const [index, step] of steps.entries()) {
    if (Object(step).loop !== undefined) continue;
    for (const way of [[], ...Object.keys(Object(step)).map((key) => [key])]) {
      const { count } = Object(way.length > 0 ? step[way[0]] : step);
      if (count !== undefined)
        issues.refuse(
          [...path, index, ...way, 'count'],
          'this count belongs to a step of the loop: move it beside loop',
        );
    }
  }
}

/**
 * @param {any} element
 * @param {string} member such as .url or [0]; empty for the element itself
 * @returns {string | undefined}
 */
function memberOf(element, member) {
  const key = /^(?:\.([\w$]+)|\[(\d+)\])$/.exec(member);
  const value = member === '' ? element : key && Object(element)[key[1] ?? key[2]];
  return ['string', 'number'].includes(typeof value) ? String(value) : undefined;
}

/**
 * Reads a count, the length of a list, or a range such as 1-15 (14 rounds: the last number is not included).
 *
 * @param {{ count?: unknown, over?: unknown }} step
 */
function readCount({ count, over }) {
  if (Array.isArray(over)) return over.length;
  if (over !== undefined) throw new Error('a loop over a variable: its length is unknown');
  if ((count ?? undefined) === undefined)
    throw new Error('this loop has no count, so Artillery repeats it for ever: write a count beside loop');
  const range = /^(\d{1,9})-(\d{1,9})$/.exec(textOf(count));
  if (range) return Math.max(0, Number(range[2]) - Number(range[1]));
  const rounds = Number(textOf(count));
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
  if (!(jitterMs <= MAX_DURATION_MS)) {
    throw new Error(`jitter must be a number of ms or a percentage, not ${JSON.stringify(jitter)}`);
  }
  return { kind: 'think', ms, jitterMs };
}
