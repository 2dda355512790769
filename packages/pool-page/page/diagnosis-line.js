/** @import { Diagnosis } from 'mongodb-pool-predictor' */
/** @import { Predictor } from './predictor.js' */
/** @import { State } from './state.js' */

const MIN_PAUSE_MS = 3000;
/** A diagnosis takes at most this share of a core, because the app may run on the same machine. */
const MAX_CPU_SHARE = 0.1;

/** Why the requests of the last minute waited, in one sentence; nothing where there is too little data. */
export class DiagnosisLine {
  #place;
  #predictor;
  #nextAtMs = 0;

  /** @param {HTMLElement} place @param {Predictor} predictor */
  constructor(place, predictor) {
    this.#place = place;
    this.#predictor = predictor;
  }

  /** Call it once a second. @param {State} state */
  show({ connection, snapshot }) {
    const isReady = snapshot?.features.predictions && connection === 'live' && !document.hidden;
    if (isReady && performance.now() >= this.#nextAtMs) this.#diagnose();
  }

  async #diagnose() {
    this.#nextAtMs = Infinity;
    let pauseMs = MIN_PAUSE_MS;
    try {
      // If the app does not respond, the head of the page says so.
      const response = await fetch('/pool/trace').catch(() => undefined);
      if (!response?.ok) return;
      const trace = await response.text();
      const answer = trace === '' ? undefined : await this.#predictor.ask({ trace });
      if (answer) pauseMs = Math.max(MIN_PAUSE_MS, answer.tookMs / MAX_CPU_SHARE);
      this.#place.textContent = answer ? await explain(answer.diagnosis) : '';
    } finally {
      this.#nextAtMs = performance.now() + pauseMs;
    }
  }
}

/** A page without traffic does not load the words. @param {Diagnosis} diagnosis */
async function explain(diagnosis) {
  const { explainLastMinute } = await import('../universal/explain-diagnosis.js');
  return explainLastMinute(diagnosis);
}
