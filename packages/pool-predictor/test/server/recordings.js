import { createRandom } from '../../src/simulator/random.js';
import { TIMES, callers, run } from '../trace/traces.js';

/** What the recordings do not say. */
export const SERVER = { cores: 2, sliceMs: 2 };
export const WORKS = {
  '/heavy': { kind: /** @type {const} */ ('fixed'), ms: 30, workShare: 1 },
  '/cheap': { kind: /** @type {const} */ ('fixed'), ms: 0.5, workShare: 1 },
};
export const WAITS = { '/heavy': { ...WORKS['/heavy'], workShare: 0 }, '/cheap': { ...WORKS['/cheap'], workShare: 0 } };

/**
 * A quarter are heavy.
 * @param {'closed' | 'open'} kind @param {number} poolSize
 * @param {{ services?: typeof WORKS, seed?: number, untilMs?: number }} [options]
 */
export function record(kind, poolSize, { services = WORKS, seed = 1, untilMs = kind === 'open' ? 8000 : 6000 } = {}) {
  const random = createRandom(seed, 'open');
  const of = (/** @type {number} */ ms) => TIMES.lognormal(ms);
  const open = () => {
    const [heavy, cheap] = [of(30)(random), of(0.5)(random)];
    const arrivals = [];
    for (let atMs = 0; atMs < untilMs; atMs += 5.5 * random.exponential()) {
      const isHeavy = random.uniform() < 0.25;
      arrivals.push({ atMs, route: isHeavy ? '/heavy' : '/cheap', serviceMs: isHeavy ? heavy() : cheap() });
    }
    return arrivals;
  };
  const closed = () => [
    ...callers({ count: 24, untilMs, service: of(30), think: TIMES.exponential(0.3), route: '/heavy', seed }),
    ...callers({ count: 24, untilMs, service: of(0.5), think: TIMES.exponential(1), route: '/cheap', seed }),
  ];
  const sharing = { server: SERVER, services };
  return run(kind === 'open' ? open() : closed(), poolSize, Infinity, sharing);
}
