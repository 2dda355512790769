import { valuesOf } from './assumption.js';

/** How far predictions are trusted, and how wide their bands are. */
// prettier-ignore
export const PREDICTION_ASSUMPTIONS = {
  blocks: { value: 60, unit: 'blocks', evidence: ['loads/CPU-bound-0-8-of-the-server/recorded-at-8'],
    why: 'parts of a trace that are drawn: long enough to keep bursts together, and enough to know their variance' },
  blockCheckouts: { value: 5, unit: 'checkouts', evidence: ['loads/CPU-bound-0-3-of-the-server/recorded-at-2'],
    why: 'a short trace has fewer blocks, so that they have so many on average' },
  // As in W.-Y. Loh, Calibrating confidence coefficients (1987), https://doi.org/10.1080/01621459.1987.10478408.
  drawnShare: { value: 0.8, unit: 'share', evidence: ['loads/CPU-bound-0-8-of-the-server/recorded-at-8'],
    why: 'of the blocks are drawn, which varies more, as a bootstrap of few blocks should' },
  tailValues: { value: 10, unit: 'values', evidence: ['loads/CPU-bound-0-8-of-the-server/recorded-at-8'],
    why: 'at most so many of the largest times are redrawn as an exponential tail' },
  tailShare: { value: 0.1, unit: 'share',
    evidence: ['loads/CPU-bound-0-8-of-the-server/recorded-at-8', 'loads/a-job-of-many-queries/recorded-at-2'],
    why: 'at most this share of them: the p90 must stay what was measured' },
  equalMs: { value: 1, unit: 'ms', evidence: ['loads/time-outs/recorded-at-2', 'loads/slow-beside-fast/recorded-at-2'],
    why: 'a time so little above that of an unlimited pool, or of a smaller one, counts as equal' },
  slowerRatio: { value: 1.25, unit: 'times', evidence: ['loads/CPU-bound-callers/recorded-at-8'],
    why: 'a p99 up to so much above the best counts as good: more is lost in the noise of a measurement' },
  noticedMs: { value: 5, unit: 'ms',
    evidence: ['loads/slow-beside-fast/recorded-at-2', 'loads/CPU-bound-0-3-of-the-server/recorded-at-2'],
    why: 'nobody notices a smaller difference' },
  bandFactor: { value: 2, unit: 'times', evidence: ['loads/CPU-bound-0-8-of-the-server/recorded-at-8'],
    why: 'a figure says less than its band if the measured one may be so many times as large, or as small ...' },
  widenPerDoubling: { value: 0.03, unit: 'share', evidence: ['loads/CPU-bound-callers/recorded-at-8'],
    why: 'a band is by so much wider at each end for each doubling or halving of the recorded size' },
  busyShare: { value: 0.8, unit: 'share', evidence: ['loads/CPU-bound-callers/recorded-at-8'],
    why: 'no band is widened as for a server that is busier: its queue does not grow without end' },
  fullPoolShare: { value: 0.5, unit: 'share', evidence: ['loads/callers-on-a-silent-server/recorded-at-8'],
    why: 'of the checkouts found all connections in use: with more of them, the server has more to do' },
  unservedShare: { value: 0.05, unit: 'share', evidence: ['causes/jam/mixed'],
    why: 'more checkouts that got no connection, and have no request to replay, are a load that is missing' },
};

export const PREDICTION = valuesOf(PREDICTION_ASSUMPTIONS);
