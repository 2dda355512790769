/** What the language throws where a program did not look. */
const FAULTS = new Set([
  'TypeError', 'RangeError', 'ReferenceError', 'SyntaxError', 'URIError', 'EvalError', 'AssertionError',
]);
/** Their words, where somebody has passed them on. */
const WORDS_OF_FAULTS = new RegExp([
  'Cannot (read|convert|destructure|set|mix)', 'is not (a function|iterable|defined)', 'Maximum call stack',
  'Invalid (array|string|count)', String.raw`\[object `,
].join('|'));
const LONGEST = 5000;

/**
 * @template T
 * @param {() => T} parse
 * @param {(message: string) => unknown} [names] whether an error says what was wrong
 * @returns {{ value?: T, error?: Error }} what it gave, or refused with a good error
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
 * @throws {Error} unless the error is made for people
 */
export function requireClear(error, names = () => true) {
  const { constructor, message, stack } = /** @type {Error} */ (Object(error));
  const complain = (/** @type {string} */ what) => { throw new Error(`${what}: ${stack ?? error}`, { cause: error }); };
  if (!(error instanceof Error)) complain('no error was thrown, but something else');
  if (FAULTS.has(constructor.name) || WORDS_OF_FAULTS.test(message)) complain('a fault of the program');
  if (!message.trim() || message.length > LONGEST || /^\s+at /m.test(message)) complain('not a message for people');
  if (!names(message)) complain('does not say what was wrong');
}

/** @param {boolean} holds @param {string} what */
export function require(holds, what) {
  if (!holds) throw new Error(what);
}
