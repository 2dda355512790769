import fc from 'fast-check';
import { createScenarioLoad } from 'mongodb-pool-predictor';

/** @import { Load, Service, Workload } from 'mongodb-pool-predictor' */
/** @typedef {Workload['scenarios'][number]['steps'][number]} Step */

/** @typedef {{ load: Load, services: Record<string, Service> }} RandomLoad */

const ROUTES = ['/fast', '/slow'];

const times = fc.constantFrom(0, 0.5, 2, 30, 505, 800, 5000);

/** @type {fc.Arbitrary<Service>} */
const service = fc.oneof(
  times.map((ms) => /** @type {Service} */ ({ kind: 'fixed', ms })),
  fc.constantFrom(2, 100, 900).map((meanMs) => /** @type {Service} */ ({ kind: 'exponential', meanMs })),
);

const request = fc.constantFrom(...ROUTES).map((route) => /** @type {Step} */ ({ kind: 'request', route }));
const think = fc.constantFrom(1, 2000).map((ms) => /** @type {Step} */ ({ kind: 'think', ms, jitterMs: ms / 2 }));
const step = fc.oneof(
  { weight: 4, arbitrary: request },
  { weight: 1, arbitrary: think },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant(/** @type {const} */ ('loop')),
      count: fc.integer({ min: 1, max: 3 }),
      steps: fc.array(fc.oneof(request, think), { minLength: 1, maxLength: 2 }),
    }),
  },
);

/** A single request, all at one moment, a steady stream, a crowd. */
const users = fc.oneof(
  fc.record({ durationMs: fc.constantFrom(1, 1000, 20_000), arrivalCount: fc.constantFrom(1, 4, 30, 60) }),
  fc.record({
    durationMs: fc.constant(2000),
    arrivalRate: fc.constant(15),
    mode: fc.constantFrom('uniform', 'poisson'),
  }),
);
const idle = fc.record({ pauseMs: fc.constantFrom(1, 60_000) });

/** Loads of all kinds, none of more than a few hundred requests. @type {fc.Arbitrary<RandomLoad>} */
export const randomLoad = fc
  .record({
    phases: fc.tuple(users, fc.option(fc.oneof(users, idle))).map((phases) => phases.filter((phase) => phase !== null)),
    scenarios: fc.array(
      fc.record({
        weight: fc.constantFrom(1, 9),
        steps: fc.tuple(request, fc.array(step, { maxLength: 2 })).map(([first, more]) => [first, ...more]),
      }),
      { minLength: 1, maxLength: 2 },
    ),
    timeoutMs: fc.constantFrom(undefined, 400, 10_000),
    services: fc.record({ '/fast': service, '/slow': service }),
  })
  .map(({ services, ...workload }) => ({ load: createScenarioLoad(/** @type {any} */ (workload)), services }));
