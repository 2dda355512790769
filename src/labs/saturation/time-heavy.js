import { quantile } from 'mongodb-pool-predictor';

const SAMPLES = 9;

/** @param {() => Promise<unknown>} query @returns {Promise<number>} ms, median, when nothing else runs */
export async function timeAlone(query) {
  const tookMs = [];
  for (let sample = 0; sample < SAMPLES; sample++) {
    const startedAtMs = performance.now();
    await query();
    tookMs.push(performance.now() - startedAtMs);
  }
  return quantile(tookMs, 0.5);
}
