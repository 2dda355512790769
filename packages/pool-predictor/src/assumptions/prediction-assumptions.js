import { valuesOf } from './assumption.js';

/** How far predictions are trusted, and how wide their bands are. */
// prettier-ignore
export const PREDICTION_ASSUMPTIONS = {
  blocks: { value: 60, unit: 'blocks', evidence: [],
    why: 'parts of a trace that are drawn: long enough to keep bursts together, and enough to know their variance' },
  blockCheckouts: { value: 5, unit: 'checkouts', evidence: [],
    why: 'a short trace has fewer blocks, so that they have so many on average' },
  // As in W.-Y. Loh, Calibrating confidence coefficients (1987), https://doi.org/10.1080/01621459.1987.10478408.
  drawnShare: { value: 0.8, unit: 'share', evidence: [],
    why: 'of the blocks are drawn: that varies more, as a bootstrap of few blocks should. 89 of 100 were in their band' },
  tailShare: { value: 0.1, unit: 'share', evidence: [],
    why: 'the largest times, which are redrawn as an exponential tail: the p90 must stay what was measured' },
};

export const PREDICTION = valuesOf(PREDICTION_ASSUMPTIONS);
