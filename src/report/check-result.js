/**
 * @typedef {(value: any, path: string) => void} Check throws an error that says where what should be
 */

const isMap = (/** @type {unknown} */ value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const text = kind('text', (value) => typeof value === 'string');
const map = kind('an object', isMap);
const number = kind('a number', (value) => typeof value === 'number');
const figures = orNone(map);

const checkShape = shape({
  startedAt: text,
  environment: map,
  settings: map,
  warnings: orNone(listOf(text)),
  variants: listOf(shape({
    name: text,
    settings: map,
    error: orNone(text),
    measured: figures,
    predicted: figures,
    exact: figures,
    published: figures,
    runs: orNone(listOf(shape({ measured: map, arrivalsMs: orNone(listOf(number)) }))),
  })),
});

/**
 * Whether something read from a file has the shape that all results share; a lab's own figures may still be missing.
 *
 * @param {unknown} value
 * @returns {asserts value is import('./types.js').Result}
 * @throws {Error} that names the first part that is wrong, and what it must be
 */
export function checkResult(value) {
  checkShape(value, 'it');
}

/** @param {string} name @param {(value: unknown) => boolean} isOne @returns {Check} */
function kind(name, isOne) {
  return (value, path) => {
    if (!isOne(value)) throw new Error(`${path} must be ${name}`);
  };
}

/** @param {Check} check @returns {Check} */
function orNone(check) {
  return (value, path) => {
    if (value !== undefined && value !== null) check(value, path);
  };
}

/** @param {Check} check @returns {Check} */
function listOf(check) {
  return (value, path) => {
    if (!Array.isArray(value)) throw new Error(`${path} must be a list`);
    for (const [index, item] of value.entries()) check(item, `${path}[${index}]`);
  };
}

/** @param {Record<string, Check>} checks @returns {Check} */
function shape(checks) {
  return (value, path) => {
    map(value, path);
    for (const [key, check] of Object.entries(checks)) check(value[key], path === 'it' ? key : `${path}.${key}`);
  };
}
