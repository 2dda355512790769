import { valuesOf } from './assumption.js';

/** How queries share the cores of a server. */
// prettier-ignore
export const SERVER_ASSUMPTIONS = {
  // Linux's default is 0.7 ms times 1 + log2 of the number of processors, at most 8, rounded up to its clock's tick of
  // 1 or 4 ms: https://docs.kernel.org/scheduler/sched-eevdf.html, kernel/sched/fair.c.
  sliceMs: { value: 2, unit: 'ms', evidence: ['loads/CPU-bound-0-3-of-the-server/recorded-at-8'],
    why: 'how long a query keeps a core while others wait for one, where the recording does not show it' },
  sliceWeight: { value: 8, unit: 'turns', evidence: ['loads/CPU-bound-0-3-of-the-server/recorded-at-8'],
    why: 'the usual slice has the weight of a trace in which others make queries take so many times longer' },
  minSliceMs: { value: 0.5, unit: 'ms', evidence: ['loads/CPU-bound-0-3-of-the-server/recorded-at-8'],
    why: 'no scheduler gives shorter turns' },
  maxSliceMs: { value: 6, unit: 'ms', evidence: ['loads/CPU-bound-0-3-of-the-server/recorded-at-8'],
    why: 'no scheduler gives longer turns' },
  clockMs: { value: 0.05, unit: 'ms', evidence: [],
    why: 'shorter uses are below the resolution of a clock' },
  fastestShare: { value: 0.002, unit: 'share', evidence: ['loads/CPU-bound-0-3-of-the-server/recorded-at-2'],
    why: 'the fastest queries of a route, so many of them, got a core at once' },
  shortShare: { value: 0.3, unit: 'share', evidence: ['loads/CPU-bound-callers/recorded-at-8'],
    why: 'queries with a mean use below this share of the main route spend their time waiting for a turn' },
  steadyVariation: { value: 0.03, unit: 'of the mean', evidence: ['loads/CPU-bound-0-3-of-the-server/recorded-at-2'],
    why: 'uses with a smaller standard deviation are steady: others hardly slow them down' },
  speedDeviation: { value: 0.07, unit: 'log', evidence: [],
    why: "the standard deviation of a machine's speed from one trace to the next" },
  independent: { value: 200, unit: 'checkouts', evidence: ['loads/CPU-bound-0-8-of-the-server/recorded-at-2'],
    why: 'overlapping queries are correlated, so more checkouts add no information' },
  minDeviation: { value: 0.01, unit: 'log', evidence: [],
    why: 'a route whose times hardly vary must not decide alone' },
  busyShare: { value: 0.6, unit: 'share',
    evidence: ['loads/one-hot-document/recorded-at-8', 'loads/CPU-bound-0-8-of-the-server/recorded-at-2'],
    why: 'a server that uses less of the cores that its queries could use slows none of them down' },
  sharedEvidence: { value: 19.5, unit: 'chi squared', evidence: ['loads/CPU-bound-0-8-of-the-server/recorded-at-2'],
    why: 'that queries share cores: 1 in 100,000 is larger by chance' },
  workEvidence: { value: 11, unit: 'chi squared', evidence: [],
    why: 'that a part of a query is no work: 1 in 1000 is larger by chance' },
  // https://en.wikipedia.org/wiki/Wilks%27_theorem
  intervalEvidence: { value: 3.84, unit: 'chi squared', evidence: ['loads/CPU-bound-0-8-of-the-server/recorded-at-8'],
    why: 'the ends of an interval with 95 % confidence' },
  rangeRatio: { value: 2, unit: 'times', evidence: ['loads/CPU-bound-0-8-of-the-server/recorded-at-8'],
    why: 'the middle of an interval of cores is useful if its ends differ by no more' },
  bothTimesShare: { value: 0.03, unit: 'share', evidence: ['loads/CPU-bound-0-3-of-the-server/recorded-at-8'],
    why: 'cores can be worked out only if both quiet and busy moments took so much of the time' },
  levelVariation: { value: 0.2, unit: 'of the mean', evidence: [],
    why: 'the number of queries at work varies if its standard deviation is at least this' },
};

export const SERVER = valuesOf(SERVER_ASSUMPTIONS);
