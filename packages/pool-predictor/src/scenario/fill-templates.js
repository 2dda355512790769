import { isRecord } from '../base/json-value.js';

/** @import { OutsideValues } from './read-workload.js' */

/** A name, or a way into a value, such as `$env.RATE` or `sizes[0]`. */
const TEMPLATE = /\{\{\{?\s*([\w$.[\]'"-]+)\s*\}?\}\}/g;
/** Steps of a flow that take a number. */
const NUMBERS = ['count', 'think', 'jitter'];

/**
 * Puts in what is known before a test. In the config, Artillery knows the environment and the variables of the
 * command line. Users know the variables of the config, too. What is not known stays as it is written.
 *
 * @param {{ config: any, scenarios?: unknown }} script
 * @param {Required<Pick<OutsideValues, 'variables' | 'env'>> & { environment?: string }} context
 * @returns {{ config: any, scenarios: any }}
 */
export function fillTemplates({ config: written, scenarios }, { environment, variables, env }) {
  const known = { $env: env, $processEnvironment: env, $environment: environment };
  const config = fill(written, { ...known, ...variables });
  const ofUsers = { target: config.target, ...known };
  // A list has a value for each user.
  const same = Object.entries(Object(config.variables)).filter(([, value]) => !Array.isArray(value));
  return { config, scenarios: fill(scenarios, ofUsers, { ...ofUsers, ...Object.fromEntries(same) }) };
}

/**
 * @param {any} value
 * @param {Record<string, unknown>} known
 * @param {Record<string, unknown>} [inNumbers] known where a number stands
 * @returns {any}
 */
function fill(value, known, inNumbers = known) {
  if (typeof value === 'string') return fillText(value, known);
  if (Array.isArray(value)) return value.map((inner) => fill(inner, known, inNumbers));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      NUMBERS.includes(key) && typeof inner === 'string' ? fillText(inner, inNumbers) : fill(inner, known, inNumbers),
    ]),
  );
}

/**
 * A text that is nothing but a template becomes its value.
 * @param {string} text
 * @param {Record<string, unknown>} known
 */
function fillText(text, known) {
  const [first] = text.matchAll(TEMPLATE);
  if (first?.[0] === text) return find(first[1], known) ?? text;
  return text.replace(TEMPLATE, (all, way) => {
    const value = find(way, known);
    return value === undefined || isRecord(value) ? all : String(value);
  });
}

/** @param {string} way @param {any} value @returns {unknown} undefined if there is none */
function find(way, value) {
  for (const key of way.split(/[.[\]'"]+/).filter(Boolean)) {
    if (!Object.hasOwn(Object(value), key)) return undefined;
    value = value[key];
  }
  return value;
}
