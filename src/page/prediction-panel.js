import { createPredictionChart } from './prediction-chart.js';
import { readRecentLoad } from './recent-load.js';
import { describePrediction, describeToday } from './words.js';

/** @import { Prediction } from 'mongodb-pool-predictor' */
/** @import { RecentLoad } from './recent-load.js' */
/** @import { State } from './state.js' */
/** @import { Palette } from './palette.js' */
/** @import { Second } from './feed-types.js' */

/** With fewer, a p95 is anybody's guess. */
const MIN_REQUESTS = 10;
const EVERY_MS = 3000;
/** The simulation takes at most this share of a core from what it predicts. */
const SHARE = 0.1;
/** Half a slider's thumb, which stays within its ends. */
const THUMB_PX = 8;

/**
 * The section that simulates the load of the last minute at every pool size, and lets one pick a size. When
 * no load comes any more, the last prediction stays.
 * @param {HTMLElement} section
 */
export function createPredictionPanel(section) {
  const slider = /** @type {HTMLInputElement} */ (section.querySelector('input'));
  const canvas = /** @type {HTMLCanvasElement} */ (section.querySelector('canvas'));
  const chart = createPredictionChart(canvas, (left, right) => {
    slider.style.marginLeft = `${left - THUMB_PX}px`;
    slider.style.width = `${right - left + 2 * THUMB_PX}px`;
  });
  /** @type {Worker | undefined} */
  let worker;
  /** @type {{ load: RecentLoad, prediction: Prediction } | undefined} */
  let found;
  /** Until somebody picks one the slider stands at the pool's own. @type {number | undefined} */
  let pickedSize;
  let nextAtMs = 0;

  slider.addEventListener('input', () => {
    pickedSize = found?.prediction.poolSizes[slider.valueAsNumber];
    draw();
  });

  /** @param {Second[]} seconds */
  async function predict(seconds) {
    const load = readRecentLoad(seconds);
    if (load.atMs === found?.load.atMs || sum(load.requests) < MIN_REQUESTS) return;
    nextAtMs = Infinity;
    let pauseMs = EVERY_MS;
    try {
      // Where the app does not answer, the head of the page says so.
      const response = await fetch('/pool').catch(() => undefined);
      if (!response?.ok) return;
      worker ??= new Worker('/pool-predictor/prediction-worker.js', { type: 'module' });
      const { prediction, tookMs } = await ask(worker, { load, pool: await response.json() });
      pauseMs = Math.max(EVERY_MS, tookMs / SHARE);
      found = { load, prediction };
      draw();
    } finally {
      nextAtMs = performance.now() + pauseMs;
    }
  }

  function draw() {
    if (!found) return;
    const { load, prediction: { poolSizes, p95Ms } } = found;
    const picked = findSize(poolSizes, pickedSize ?? load.max);
    const times = Object.fromEntries(Object.entries(p95Ms).map(([route, each]) => [route, each[picked]]));
    const answer = describePrediction(poolSizes[picked], times);
    section.querySelector('.none')?.setAttribute('hidden', '');
    section.querySelector('.found')?.removeAttribute('hidden');
    slider.max = String(poolSizes.length - 1);
    slider.value = String(picked);
    slider.setAttribute('aria-valuetext', answer);
    say('.answer', answer);
    say('.today', describeToday(load.max, load.p95Ms));
    say('.about', describeSource(load));
    chart.show({ poolSizes, p95Ms, measured: load, picked });
  }

  /**
   * @param {string} selector
   * @param {string} text
   */
  function say(selector, text) {
    const element = /** @type {HTMLElement} */ (section.querySelector(selector));
    if (element.textContent !== text) element.textContent = text;
  }

  return {
    /**
     * Once a second.
     * @param {State} state
     */
    show({ connection, seconds, snapshot }) {
      const isDivided = Boolean(snapshot?.slowPool ?? snapshot?.slowLimit);
      section.toggleAttribute('data-divided', isDivided);
      if (!isDivided && connection === 'live' && !document.hidden && performance.now() >= nextAtMs) predict(seconds);
    },
    /** @param {Palette} palette */
    setPalette: (palette) => chart.setPalette(palette),
  };
}

/**
 * @param {Worker} worker
 * @param {{ load: RecentLoad, pool: unknown }} question
 * @returns {Promise<{ prediction: Prediction, tookMs: number }>}
 */
function ask(worker, question) {
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = reject;
    worker.postMessage(question);
  });
}

/**
 * The place of a size, or of the next larger one, in a list whose steps may have changed.
 * @param {number[]} poolSizes
 * @param {number} size
 */
function findSize(poolSizes, size) {
  const place = poolSizes.findIndex((each) => each >= size);
  return place === -1 ? poolSizes.length - 1 : place;
}

/** @param {RecentLoad} load */
function describeSource({ atMs, requests }) {
  const counts = Object.entries(requests).map(([route, count]) => `${count} ${route}`);
  const until = new Date(atMs).toLocaleTimeString('en-GB');
  return `Simulated in this browser from the minute up to ${until}: ${counts.join(' and ')}, `
    + 'scattered at random within their seconds.';
}

/** @param {Record<string, number>} counts */
function sum(counts) {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}
