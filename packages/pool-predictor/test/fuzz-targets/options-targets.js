import fc from 'fast-check';
import { parseSlo } from '../../src/advise/slo.js';
import { parseDurationMs } from '../../src/base/duration.js';
import { parsePoolSizes } from '../../src/predict/pool-sizes.js';
import { checkService } from '../../src/service/app-services.js';
import { parseQueries, parseServices } from '../../src/service/parse-service.js';
import { mutationsOf, oddValues, sentencesOf, texts } from 'test-support/fuzz-arbitraries.js';
import { attempt, require } from 'test-support/fuzz-outcome.js';

const NUMBERS = ['0', '1', '3', '10', '20', '999999', '1000000', '9'.repeat(30), '-1', '1.5', '1e3'];
const FIGURES = ['p50', 'p99', 'p99.9', 'max', 'p98', 'constructor', '__proto__'];

const poolSizes = fc.oneof(
  mutationsOf(['1,3,10', '1..20', '1..5,10,20']),
  sentencesOf([...NUMBERS, ',', '..', ' ']),
  fc.nat(2000).map((count) => Array(count).fill('1..999999').join()),
);
const service = fc.oneof(
  sentencesOf([
    '/slow',
    '/',
    'GET ',
    '{{ x }}',
    '=',
    ':',
    ',',
    'none',
    'exponential',
    'lognormal',
    'fixed',
    'sample',
    ...NUMBERS,
  ]),
  fc.tuple(fc.constantFrom('/a=', '/b=exponential:', '/__proto__=lognormal:'), texts).map((parts) => parts.join('')),
);
const goal = fc.oneof(
  mutationsOf(['/fast p99 < 50ms', '/slow max<6s', '/a p99.9 < 0.5 s']),
  sentencesOf(['/fast', ' ', '<', 'ms', 's', '.', ...FIGURES, ...NUMBERS]),
);

/** Errors quote the input, or a part of it. @param {string} text @returns {(message: string) => boolean} */
const quotes = (text) => (message) =>
  message.includes(text) || [...message.matchAll(/"([^"]*)"/g)].some(([, part]) => text.includes(part));

/** @type {Record<string, import('test-support/fuzz-outcome.js').FuzzTarget>} */
export const targets = {
  'lengths of time': {
    arbitrary: fc.oneof(sentencesOf([...NUMBERS, 'ms', 's', 'm', 'h', 'days', ' ', '.']), oddValues),
    check(value) {
      const quotesValue = (/** @type {string} */ message) => message.includes(JSON.stringify(value));
      const ms = attempt(() => parseDurationMs(value), quotesValue).value;
      if (ms === undefined) return;
      require(ms >= 0 && ms < Infinity, `it is ${ms} ms`);
      // 1e-7 would not be a valid number here.
      require(ms < 1e-6 || parseDurationMs(`${ms}ms`) === ms, 'printed it is read as another');
    },
  },
  'lists of pool sizes': {
    arbitrary: poolSizes,
    check(text) {
      const list = attempt(() => parsePoolSizes(text), quotes(text)).value;
      if (!list) return;
      const ascends = list.every((size, index) => Number.isSafeInteger(size) && size > (list[index - 1] ?? 0));
      require(list.length > 0 && ascends, `it is ${list}`);
      require(String(parsePoolSizes(list.join())) === String(list), 'printed it is read as another');
    },
  },
  'service times': {
    arbitrary: fc.array(service, { maxLength: 3 }),
    check(/** @type {string[]} */ list) {
      const names = (/** @type {string} */ message) =>
        list.some((text) => quotes(text)(message) || message.includes(text.slice(0, text.lastIndexOf('='))));
      const services = attempt(() => parseServices(list), names).value ?? {};
      for (const [route, each] of Object.entries(services)) {
        require(/^([A-Z]+ )?(\/|\{\{)/.test(route), `the route is ${route}`);
        checkService(each);
      }
    },
  },
  'numbers of queries': {
    arbitrary: fc.array(service, { maxLength: 3 }),
    check(/** @type {string[]} */ list) {
      const names = (/** @type {string} */ message) =>
        list.some((text) => quotes(text)(message) || message.includes(text.slice(0, text.lastIndexOf('='))));
      for (const [route, queries] of Object.entries(attempt(() => parseQueries(list), names).value ?? {})) {
        require(queries >= 1, `${route} makes ${queries}`);
        checkService({ kind: 'fixed', ms: 1, queries });
      }
    },
  },
  goals: {
    arbitrary: goal,
    check(text) {
      const slo = attempt(
        () => parseSlo(text),
        (message) => message.includes(`"${text}"`),
      ).value;
      if (!slo) return;
      const { limitMs, share } = slo;
      require(limitMs > 0 && limitMs < Infinity && share > 0 && share <= 1, `it is ${JSON.stringify(slo)}`);
      require(JSON.stringify(parseSlo(slo.text)) === JSON.stringify(slo), 'printed it is read as another');
    },
  },
};
