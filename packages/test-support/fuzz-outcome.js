/**
 * Input from outside, and what must hold for any input.
 *
 * @typedef {object} FuzzTarget
 * @property {import('fast-check').Arbitrary<any>} arbitrary
 * @property {(value: any, surroundings: any) => void | Promise<void>} check throws if that does not hold
 * @property {(worker: { mongoUrl: string }) => Promise<{ close: () => unknown }>} [open] sets up what all cases share
 * @property {number} [share] of the cases, for targets where each case takes long; default 1
 */

/** Errors that the language throws when a program has a bug. */
const FAULTS = /^(Type|Range|Reference|Syntax|URI|Eval|Assertion)Error$/;
/** Their messages, in case somebody wrapped them. */
const WORDS_OF_FAULTS = new RegExp(
  [
    'Cannot (read|convert|destructure|set|mix)',
    'is not (a function|iterable|defined)',
    'Maximum call stack',
    'Invalid (array|string|count)',
    String.raw`\[object `,
  ].join('|'),
);
const MAX_LENGTH = 5000;

/**
 * @template T
 * @param {() => T} parse
 * @param {(message: string) => unknown} [names] whether an error says what was wrong
 * @returns {{ value?: T, error?: Error }} the value, or a clear error
 */
export function attempt(parse, names) {
  try {
    return { value: parse() };
  } catch (error) {
    requireClear(error, names);
    return { error: /** @type {Error} */ (error) };
  }
}

/**
 * @param {unknown} error
 * @param {(message: string) => unknown} [names]
 * @throws {Error} unless the error is a clear message
 */
export function requireClear(error, names = () => true) {
  const { constructor, message, stack } = /** @type {Error} */ (Object(error));
  const complain = (/** @type {string} */ what) => {
    throw new Error(`${what}: ${stack ?? error}`, { cause: error });
  };
  if (!(error instanceof Error)) complain('no error was thrown, but something else');
  if (FAULTS.test(constructor.name) || WORDS_OF_FAULTS.test(message)) complain('a bug');
  if (!message.trim() || message.length > MAX_LENGTH || /^\s+at /m.test(message)) complain('not a clear message');
  if (!names(message)) complain('does not say what was wrong');
}

/** @param {boolean} holds @param {string} what */
export function require(holds, what) {
  if (!holds) throw new Error(what);
}
