import { valuesOf } from './assumption.js';

/** What makes a pool size good advice. */
// prettier-ignore
export const ADVICE_ASSUMPTIONS = {
  confidence: { value: 0.95, unit: 'share', evidence: ['loads/a-job-of-many-queries/recorded-at-2'],
    why: 'a size meets a goal in so many of the runs, with this confidence' },
  slowRouteRatio: { value: 10, unit: 'times',
    evidence: ['loads/one-hot-document/recorded-at-2', 'loads/slow-beside-fast/recorded-at-2'],
    why: 'a route may get a pool of its own if its queries take so much longer than the fastest with a goal' },
};

export const ADVICE = valuesOf(ADVICE_ASSUMPTIONS);
