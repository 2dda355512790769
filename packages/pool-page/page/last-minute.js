/** @import { Diagnosis, Speedups, WhatIf } from 'mongodb-pool-predictor' */
/** @import { Second } from '../universal/feed-shapes.js' */
/** @import { Predictor } from './predictor.js' */
/** @import { State } from './state.js' */

/**
 * @typedef {object} Findings about the last minute
 * @property {number} atMs its last second in which requests ended or waited, by the app's clock
 * @property {Diagnosis} [diagnosis] why its requests waited; none without a request
 * @property {WhatIf | null} [whatIf] null unless there were new requests
 * @property {Speedups | null} [speedups] for the load of the last whatIf
 */

const MIN_PAUSE_MS = 3000;
/** Predictions take at most this share of a core, because the app may run on the same machine. */
const MAX_CPU_SHARE = 0.1;

/** Takes the app's trace of the last minute to the predictor, again and again. */
export class LastMinute {
  #predictor;
  #use;
  #nextAtMs = 0;
  #nextPredictionAtMs = 0;
  /** The last second that was predicted. */
  #predictedAtMs = -1;

  /** @param {Predictor} predictor @param {(findings: Findings) => void} use */
  constructor(predictor, use) {
    this.#predictor = predictor;
    this.#use = use;
  }

  /** Call it once a second. @param {State} state */
  show({ connection, snapshot, seconds }) {
    const isReady = snapshot?.features.predictions && connection === 'live' && !document.hidden;
    if (isReady && performance.now() >= this.#nextAtMs) this.#ask(findLastBusy(seconds));
  }

  /** @param {number} atMs */
  async #ask(atMs) {
    this.#nextAtMs = Infinity;
    try {
      // If the app does not respond, the head of the page says so.
      const response = await fetch('/pool/trace').catch(() => undefined);
      if (!response?.ok) return;
      const trace = await response.text();
      if (trace === '') {
        this.#use({ atMs });
        return;
      }
      // This takes milliseconds, and a prediction may take seconds.
      const found = await this.#predictor.ask({ trace, wanted: 'diagnosis' });
      if (!found) return;
      this.#use({ ...found, atMs });
      if (atMs === this.#predictedAtMs || performance.now() < this.#nextPredictionAtMs) return;
      const answer = await this.#predictor.ask({ wanted: 'whatIf' });
      if (!answer) return;
      this.#predictedAtMs = atMs;
      this.#use({ ...found, ...answer, atMs });
      const ranked = answer.whatIf && (await this.#predictor.ask({ wanted: 'speedups' }));
      this.#nextPredictionAtMs = performance.now() + (answer.tookMs + (ranked?.tookMs ?? 0)) / MAX_CPU_SHARE;
      this.#use({ ...found, ...ranked, atMs });
    } finally {
      this.#nextAtMs = performance.now() + MIN_PAUSE_MS;
    }
  }
}

/** @param {Second[]} seconds */
function findLastBusy(seconds) {
  return seconds.findLast(({ routes, waiting }) => waiting > 0 || Object.keys(routes).length > 0)?.atMs ?? 0;
}
