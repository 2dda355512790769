import fc from 'fast-check';
import { parsePositive, parseUpTo } from '../../../src/cli/options.js';
import { labs } from '../../../src/labs/index.js';
import { parseDurationMs } from '../../../src/predict/duration.js';
import { parseServices } from '../../../src/predict/parse-service.js';
import { parsePoolSizes } from '../../../src/predict/pool-sizes.js';
import { createRandom } from '../../../src/predict/random.js';
import { createServiceTime } from '../../../src/predict/service-time.js';
import { parseSlo } from '../../../src/predict/slo.js';
import { mutationsOf, oddValues, sentencesOf, texts } from '../arbitraries.js';
import { attempt, require } from '../outcome.js';

const PARSERS = [parsePositive, parseUpTo(7), ...Object.values(labs).flatMap((lab) => (
  Object.values(lab.options).flatMap(({ parse = [] }) => parse)))];
const CHOICES = ['copy', 'clone', 'fixed', 'gather', 'majority', 'id', 'direct', 'split'];
const digits = ['0', '1', '3', '10', '20', '999999', '1000000', '9'.repeat(30), '-1', '1.5', '1e3'];
const figures = ['p50', 'p99', 'p99.9', 'max', 'p98', 'constructor', '__proto__'];
const poolSizes = fc.oneof(mutationsOf(['1,3,10', '1..20', '1..5,10,20']), sentencesOf([...digits, ',', '..', ' ']), fc.nat(2000).map(
  (count) => Array(count).fill('1..999999').join()));

/** Errors quote what they refuse, whole or in part. @param {string} text */
const quotes = (text) => (/** @type {string} */ message) => [...message.matchAll(/"([^"]*)"/g)].some(([, part]) => text.includes(part))
  || message.includes(text);

/** @type {Record<string, import('../targets.js').Target>} */
export const options = {
  'lengths of time': {
    arbitrary: fc.oneof(sentencesOf([...digits, 'ms', 's', 'm', 'h', 'days', ' ', '.']), oddValues),
    check(value) {
      const ms = attempt(() => parseDurationMs(value), (message) => message.includes(JSON.stringify(value))).value;
      require(ms === undefined || (ms >= 0 && ms < Infinity), `it is ${ms} ms`);
      if (ms !== undefined) require(parseDurationMs(`${ms}ms`) === ms || ms < 1e-6 || ms > 1e20, 'printed it is read as another');
    },
  },
  'lists of pool sizes': {
    arbitrary: poolSizes,
    check(text) {
      const list = attempt(() => parsePoolSizes(text), quotes(text)).value;
      if (!list) return;
      require(list.length > 0 && list.every((size, index) => Number.isSafeInteger(size) && size > (list[index - 1] ?? 0)), `it is ${list}`);
      require(String(parsePoolSizes(list.join())) === String(list), 'printed it is read as another');
    },
  },
  'options of labs': {
    arbitrary: fc.tuple(fc.constantFrom(...PARSERS), fc.oneof(sentencesOf([...digits, ...CHOICES, ',', '/', ' ']), texts)),
    check([parse, text]) {
      // Commander says which option and which value it is; the parser, what is allowed.
      const values = [attempt(() => parse(text)).value ?? 1].flat();
      const isGood = (/** @type {unknown} */ value) => (
        typeof value === 'number' ? Number.isSafeInteger(value) && value > 0 : text.includes(value));
      require(values.length > 0 && values.every(isGood), `it is ${values}`);
    },
  },
  'service times': {
    arbitrary: fc.array(fc.oneof(
      sentencesOf(['/slow', '/', '=', ':', ',', 'exponential', 'lognormal', 'fixed', 'sample', ...digits]),
      fc.tuple(fc.constantFrom('/a=', '/b=exponential:', '/__proto__=lognormal:'), texts).map((parts) => parts.join('')),
    ), { maxLength: 3 }),
    check(list) {
      const services = attempt(() => parseServices(list), (message) => list.some((/** @type {string} */ text) => (
        quotes(text)(message) || message.includes(text.slice(0, text.lastIndexOf('=')))))).value ?? {};
      for (const [route, service] of Object.entries(services)) {
        const ms = createServiceTime(service, createRandom(1, 'fuzz'), route)();
        require(route.startsWith('/') && ms >= 0 && ms < Infinity, `${route} takes ${ms} ms`);
      }
    },
  },
  'goals': {
    arbitrary: fc.oneof(
      mutationsOf(['/fast p99 < 50ms', '/slow max<6s', '/a p99.9 < 0.5 s']), sentencesOf(['/fast', ' ', '<', 'ms', 's', '.', ...figures, ...digits])),
    check(text) {
      const slo = attempt(() => parseSlo(text), (message) => message.includes(`"${text}"`)).value;
      if (!slo) return;
      require(slo.limitMs > 0 && slo.limitMs < Infinity && slo.share > 0 && slo.share <= 1, `it is ${JSON.stringify(slo)}`);
      require(JSON.stringify(parseSlo(slo.text)) === JSON.stringify(slo), 'printed it is read as another');
    },
  },
};
