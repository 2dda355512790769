import fc from 'fast-check';

/** Values that break parsers: limits of numbers, names of inherited properties, control characters, half characters. */
const ODD_NUMBERS = [0, -0, -1, 1, 1.5, 1e21, 1e308, -1e308, 9_007_199_254_740_992, 5e-324];
const ODD_TEXTS = [
  ...ODD_NUMBERS.map(String),
  '',
  ' ',
  '\n',
  '\0',
  '-0',
  '1e3',
  '1e309',
  '9'.repeat(400),
  '0x10',
  '00',
  '+1',
  'NaN',
  'Infinity',
  '١',
  'null',
  'true',
  'undefined',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '\u001b[31m',
  '\u202e',
  '\ud800',
  '\r\n',
  '{}',
  '[]',
  '"',
  "'",
  '../..',
  '%00',
  '%ff',
  '${x}',
  '{{ x }}',
  'é€😀',
];
/** @type {any[]} */
const ODD_VALUES = [
  null,
  true,
  false,
  ...ODD_NUMBERS,
  [],
  {},
  [[]],
  [null],
  { toString: 1 },
  { length: 1e9 },
  ...ODD_TEXTS,
];
const POLLUTING = ['{"__proto__":{"polluted":1}}', '{"constructor":{"prototype":{"polluted":1}}}'];

/** Any text: mostly short and readable, so that it is close to what parsers take. */
export const texts = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constantFrom(...ODD_TEXTS),
  fc.integer().map(String),
  fc.double().map(String),
);

/** A value that JSON can hold. */
export const oddValues = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...ODD_VALUES) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  { weight: 1, arbitrary: fc.constantFrom(...POLLUTING).map((text) => JSON.parse(text)) },
);

/** Words of a language in any order. @param {string[]} words @param {number} [maxLength] */
export function sentencesOf(words, maxLength = 12) {
  const word = fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...words) }, { weight: 1, arbitrary: texts });
  return fc.array(word, { maxLength }).map((parts) => parts.join(''));
}

/**
 * A valid text with something removed, inserted or doubled.
 * @param {string[]} samples
 * @param {fc.Arbitrary<string>} [pieces]
 */
export function mutationsOf(samples, pieces = texts) {
  const edit = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    cut: fc.nat(20),
    piece: fc.option(pieces, { nil: '' }),
  });
  return fc.tuple(fc.constantFrom(...samples), fc.array(edit, { maxLength: 4 })).map(([sample, edits]) =>
    edits.reduce((text, { at, cut, piece }) => {
      const from = Math.round(at * text.length);
      return text.slice(0, from) + piece + text.slice(from + cut);
    }, sample),
  );
}

/** A good value with some of its parts, however deep, replaced or left out. @param {unknown[]} samples plain JSON */
export function changesOf(samples) {
  const change = fc.tuple(fc.nat(), fc.option(oddValues, { nil: undefined }));
  return fc.tuple(fc.constantFrom(...samples), fc.array(change, { maxLength: 3 })).map(([sample, changes]) => {
    const value = structuredClone(sample);
    for (const [number, replacement] of changes) {
      const places = listPlaces(value);
      if (places.length === 0) break;
      const [holder, key] = places[number % places.length];
      if (replacement === undefined && !Array.isArray(holder)) delete holder[key];
      else holder[key] = structuredClone(replacement ?? null);
    }
    return value;
  });
}

/** @param {any} value @returns {[holder: any, key: string][]} */
function listPlaces(value) {
  if (typeof value !== 'object' || value === null) return [];
  return Object.keys(value).flatMap((key) => [/** @type {[any, string]} */ ([value, key]), ...listPlaces(value[key])]);
}
