import fc from 'fast-check';
import { parsePositive, parseUpTo } from '../../cli/option-parsers.js';
import { labs } from '../../labs/index.js';
import { sentencesOf, texts } from 'test-support/fuzz-arbitraries.js';
import { attempt, require } from 'test-support/fuzz-outcome.js';

const LAB_PARSERS = Object.values(labs).flatMap((lab) => Object.values(lab.options).flatMap(({ parse = [] }) => parse));
const CHOICES = ['copy', 'clone', 'fixed', 'gather', 'majority', 'id', 'direct', 'split'];
const NUMBERS = ['0', '1', '3', '10', '20', '999999', '1000000', '9'.repeat(30), '-1', '1.5', '1e3'];

/** @type {Record<string, import('test-support/fuzz-outcome.js').FuzzTarget>} */
export const targets = {
  'options of labs': {
    arbitrary: fc.tuple(
      fc.constantFrom(parsePositive, parseUpTo(7), ...LAB_PARSERS),
      fc.oneof(sentencesOf([...NUMBERS, ...CHOICES, ',', '/', ' ']), texts),
    ),
    check([parse, text]) {
      // Commander prints the option and the value. The parser says what is allowed.
      const values = [attempt(() => parse(text)).value ?? 1].flat();
      const isGood = (/** @type {unknown} */ value) =>
        typeof value === 'number' ? Number.isSafeInteger(value) && value > 0 : text.includes(value);
      require(values.length > 0 && values.every(isGood), `it is ${values}`);
    },
  },
};
