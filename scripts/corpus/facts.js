/** What is not a code or a figure of the answer: sentences, the machine, and what was asked. */
const LEFT_OUT = [
  'words',
  'notes',
  'warnings',
  'environment',
  'settings',
  'startedAt',
  'lab',
  'doctor',
  'version',
  'name',
];
/** Parts of a response that others show too; they would make up most of a stored answer. */
const PARTS = ['wait', 'all', 'parts', 'samples'];
/** Number of the doctor's proofs that are stored: one shows which rule chose it. */
const MAX_PROOFS = 1;
/** Digits that are stored. Node.js versions differ in the last ones of a logarithm. */
const DIGITS = 6;

/**
 * Keeps the codes and figures of a command's JSON.
 *
 * @param {unknown} value
 * @returns {any} figures with 6 significant digits
 */
export function keepFacts(value) {
  if (typeof value === 'number') return Number(value.toPrecision(DIGITS));
  if (Array.isArray(value)) return value.map(keepFacts);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, of]) => !LEFT_OUT.includes(key) || (key === 'settings' && isKept(of)))
      .filter(([key]) => !PARTS.includes(key))
      .map(([key, of]) => [key, keepFacts(key === 'proofs' ? of.slice(0, MAX_PROOFS) : of)]),
  );
}

/** The doctor's findings about settings, and the size of a predicted pool. @param {any} settings */
function isKept(settings) {
  return Array.isArray(settings) || Object.keys(settings).join() === 'poolSize';
}

/**
 * Lists the figures and codes of an answer, each with its path, such as `predict.variants.2.predicted.routes./a.p95Ms`.
 *
 * @param {unknown} value
 * @param {string} [path]
 * @returns {Map<string, string | number | boolean | null>}
 */
export function listFacts(value, path = '') {
  if (typeof value !== 'object' || value === null) return new Map([[path, /** @type {any} */ (value)]]);
  return new Map(
    Object.entries(value).flatMap(([key, of]) => [...listFacts(of, path === '' ? key : `${path}.${key}`)]),
  );
}

const WIDTH = 120;

/**
 * JSON with a line for what fits on one, so that a change is one line of a diff.
 *
 * @param {any} value
 * @param {string} [indent]
 * @returns {string}
 */
export function layOutJson(value, indent = '') {
  const short = JSON.stringify(value);
  if (short.length + indent.length < WIDTH || typeof value !== 'object') return short;
  const inner = `${indent}  `;
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const lines = Object.entries(value).map(
    ([key, of]) => `${inner}${Array.isArray(value) ? '' : `${JSON.stringify(key)}: `}${layOutJson(of, inner)}`,
  );
  return `${open}\n${lines.join(',\n')}\n${indent}${close}`;
}
