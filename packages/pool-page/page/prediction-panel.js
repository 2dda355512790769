import { createPredictionChart } from './prediction-chart.js';
import { describeMeasured, describePrediction } from './prediction-words.js';
import { readRecentLoad } from './recent-load.js';
import { joinWords } from './words.js';

/** @import { Prediction } from 'mongodb-pool-predictor' */
/** @import { Second } from '../universal/feed-shapes.js' */
/** @import { ChartRoute } from './chart-routes.js' */
/** @import { Palette } from './palette.js' */
/** @import { RecentLoad } from './recent-load.js' */
/** @import { Predictor } from './predictor.js' */
/** @import { State } from './state.js' */

/** A p95 of fewer is a guess. */
const MIN_REQUESTS = 10;
const MIN_PAUSE_MS = 3000;
/** Simulating takes at most this share of a core, because the app may run on the same machine. */
const MAX_CPU_SHARE = 0.1;
/** The middle of a slider's thumb keeps this distance from the ends. */
const THUMB_PX = 8;

/**
 * The section that simulates the load of the last minute at other pool sizes. Without new load it keeps the last
 * prediction.
 */
export class PredictionPanel {
  #section;
  #slider;
  #chart;
  #predictor;
  /** @type {{ load: RecentLoad, prediction: Prediction } | undefined} */
  #found;
  /** Until somebody picks a size, the slider shows the current one. @type {number | undefined} */
  #pickedSize;
  #nextAtMs = 0;
  /** @type {ChartRoute[]} */
  #routes = [];

  /** @param {HTMLElement} section @param {Predictor} predictor */
  constructor(section, predictor) {
    this.#section = section;
    this.#predictor = predictor;
    const slider = /** @type {HTMLInputElement} */ (section.querySelector('input'));
    const canvas = /** @type {HTMLCanvasElement} */ (section.querySelector('canvas'));
    this.#slider = slider;
    this.#chart = createPredictionChart(canvas, (left, right) => {
      slider.style.marginLeft = `${left - THUMB_PX}px`;
      slider.style.width = `${right - left + 2 * THUMB_PX}px`;
    });
    slider.addEventListener('input', () => {
      this.#pickedSize = this.#found?.prediction.poolSizes[slider.valueAsNumber];
      this.#draw();
    });
  }

  /** Call it once a second. @param {State} state */
  show({ connection, seconds, snapshot, pool, others, routes }) {
    this.#routes = routes;
    const isSplit = Boolean(snapshot?.slowLimit) || others.length > 0;
    const isMissing = this.#predictor.isMissing || snapshot?.features.predictions === false;
    const isShared = Object.values(pool?.queries ?? {}).some(({ isWork }) => isWork);
    const obstacle = isMissing ? 'missing' : isSplit ? 'split' : isShared ? 'shared' : null;
    this.#section.dataset.state = obstacle ?? 'ready';
    const isReady = !obstacle && connection === 'live' && !document.hidden;
    if (isReady && performance.now() >= this.#nextAtMs) this.#predict(seconds);
  }

  /** @param {Palette} palette */
  setPalette(palette) {
    this.#chart.setPalette(palette);
  }

  /** @param {Second[]} seconds */
  async #predict(seconds) {
    const load = readRecentLoad(seconds);
    if (load.atMs === this.#found?.load.atMs || sum(load.requests) < MIN_REQUESTS) return;
    this.#nextAtMs = Infinity;
    let pauseMs = MIN_PAUSE_MS;
    try {
      // If the app does not respond, the head of the page says so.
      const response = await fetch('/pool').catch(() => undefined);
      if (!response?.ok) return;
      const answer = await this.#predictor.ask({ load, pool: await response.json() });
      if (!answer) return;
      pauseMs = Math.max(MIN_PAUSE_MS, answer.tookMs / MAX_CPU_SHARE);
      this.#found = { load, prediction: answer.prediction };
      this.#draw();
    } finally {
      this.#nextAtMs = performance.now() + pauseMs;
    }
  }

  #draw() {
    if (!this.#found) return;
    const {
      load,
      prediction: { poolSizes, p95Ms },
    } = this.#found;
    const picked = findSize(poolSizes, this.#pickedSize ?? load.max);
    const routes = this.#routes.filter(({ label }) => p95Ms[label]);
    const answer = describePrediction(
      poolSizes[picked],
      mapRoutes(routes, (route) => p95Ms[route][picked]),
    );
    this.#section.querySelector('.none')?.setAttribute('hidden', '');
    this.#section.querySelector('.found')?.removeAttribute('hidden');
    this.#slider.max = String(poolSizes.length - 1);
    this.#slider.value = String(picked);
    this.#slider.setAttribute('aria-valuetext', answer);
    this.#setText('.answer', answer);
    const current = poolSizes.indexOf(load.max);
    this.#setText(
      '.measured',
      describeMeasured(
        load.max,
        mapRoutes(routes, (route) => load.p95Ms[route]),
        mapRoutes(routes, (route) => p95Ms[route][current]),
      ),
    );
    this.#setText('.about', describeSource(load, routes));
    this.#drawLegend(routes);
    this.#chart.show({ poolSizes, p95Ms, measured: load, picked, routes });
  }

  /** @param {ChartRoute[]} routes */
  #drawLegend(routes) {
    const items = [...routes.map(({ label, color }) => [`${label} predicted`, color]), ['measured', 'exact diamond']];
    const legend = /** @type {HTMLElement} */ (this.#section.querySelector('.legend'));
    if (legend.textContent === items.map(([text]) => text).join('')) return;
    legend.replaceChildren(
      ...items.map(([textContent, className]) =>
        Object.assign(document.createElement('li'), { textContent, className }),
      ),
    );
  }

  /** @param {string} selector @param {string} text */
  #setText(selector, text) {
    const element = /** @type {HTMLElement} */ (this.#section.querySelector(selector));
    if (element.textContent !== text) element.textContent = text;
  }
}

/**
 * The index of a size, or of the next larger one: the sizes may have changed since somebody picked one.
 * @param {number[]} poolSizes
 * @param {number} size
 */
function findSize(poolSizes, size) {
  const index = poolSizes.findIndex((each) => each >= size);
  return index === -1 ? poolSizes.length - 1 : index;
}

/** @param {RecentLoad} load @param {ChartRoute[]} routes */
function describeSource({ atMs, requests }, routes) {
  const counts = routes.map(({ label }) => `${requests[label] ?? 0}\u00a0${label.replaceAll(' ', '\u00a0')}`);
  const until = new Date(atMs).toLocaleTimeString('en-GB');
  return `Simulated in this browser from the minute before ${until}: ${joinWords(counts)}, at random times within each second.`;
}

/**
 * @param {ChartRoute[]} routes
 * @param {(route: string) => number | undefined} value
 * @returns {Record<string, number>} without routes that have none
 */
function mapRoutes(routes, value) {
  return Object.fromEntries(
    routes.flatMap(({ label }) => {
      const each = value(label);
      return each === undefined ? [] : [[label, each]];
    }),
  );
}

/** @param {Record<string, number>} counts */
function sum(counts) {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}
