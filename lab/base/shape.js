/** @typedef {(value: any, path: string) => void} Check throws an error that says where and what the value should be */

/** @param {unknown} value @returns {value is Record<string, unknown>} */
export function isRecord(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export const text = kind('text', (value) => typeof value === 'string');
/** JSON can contain 1e999, which is Infinity. */
export const number = kind('a number', Number.isFinite);
export const count = kind('a whole number', (value) => Number.isSafeInteger(value) && Number(value) >= 0);
export const flag = kind('true or false', (value) => typeof value === 'boolean');
export const map = kind('an object', isRecord);

/** @param {Check} check @returns {Check} */
export function orNone(check) {
  return (value, path) => {
    if (value !== undefined && value !== null) check(value, path);
  };
}

/** @param {Check} check @returns {Check} */
export function listOf(check) {
  return (value, path) => {
    if (!Array.isArray(value)) throw new Error(`${path} must be a list`);
    for (const [index, item] of value.entries()) check(item, `${path}[${index}]`);
  };
}

/** @param {Check} check @returns {Check} */
export function mapOf(check) {
  return (value, path) => {
    map(value, path);
    for (const [key, item] of Object.entries(value)) check(item, `${path}.${key}`);
  };
}

/** An object with at least these properties. @param {Record<string, Check>} checks @returns {Check} */
export function shape(checks) {
  return (value, path) => {
    map(value, path);
    for (const [key, check] of Object.entries(checks)) check(value[key], path === 'it' ? key : `${path}.${key}`);
  };
}

/** @param {string} name @param {(value: unknown) => boolean} isOne @returns {Check} */
function kind(name, isOne) {
  return (value, path) => {
    if (!isOne(value)) throw new Error(`${path} must be ${name}`);
  };
}
