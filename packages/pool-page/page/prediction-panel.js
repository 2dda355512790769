import { createPredictionChart } from './prediction-chart.js';

/** @import { WhatIf, WhatIfRoute } from 'mongodb-pool-predictor' */
/** @import { Palette } from './palette.js' */
/** @import { Queue } from './prediction-words.js' */
/** @import { Predictor } from './predictor.js' */
/** @import { State } from './state.js' */

/** The middle of a slider's thumb keeps this distance from the ends. */
const THUMB_PX = 8;
/** More lines could not be told apart. */
const MAX_ROUTES = 4;

/**
 * The section that says what pools of other sizes would have done to the load of the last minute. Without new load it
 * keeps the last prediction.
 */
export class PredictionPanel {
  #section;
  #slider;
  #chart;
  #predictor;
  /** @type {{ atMs: number, whatIf: WhatIf, routes: Record<string, WhatIfRoute> } | undefined} */
  #found;
  /** Who waits now. @type {Queue | null} */
  #queue = null;
  /** A page without traffic does not load them. @type {typeof import('./prediction-words.js') | undefined} */
  #words;
  /** What somebody picked; until then, the slider shows the best guess. @type {number | undefined} */
  #pickedSize;

  /** @param {HTMLElement} section @param {Predictor} predictor */
  constructor(section, predictor) {
    this.#section = section;
    this.#predictor = predictor;
    const slider = /** @type {HTMLInputElement} */ (section.querySelector('input'));
    const box = /** @type {HTMLElement} */ (section.querySelector('.canvas'));
    this.#slider = slider;
    this.#chart = createPredictionChart(box, (left, right) => {
      slider.style.marginLeft = `${left - THUMB_PX}px`;
      slider.style.width = `${right - left + 2 * THUMB_PX}px`;
    });
    slider.addEventListener('input', () => {
      this.#pickedSize = this.#found?.whatIf.poolSizes[slider.valueAsNumber];
      this.#draw();
    });
  }

  /** @param {State} state */
  show(state) {
    const { snapshot, others } = state;
    const isSplit = Boolean(snapshot?.slowLimit) || others.length > 0;
    const isMissing = this.#predictor.isMissing || snapshot?.features.predictions === false;
    this.#section.dataset.state = isMissing ? 'missing' : isSplit ? 'split' : 'ready';
    if (state.queuedSinceMs !== null && !this.#words) this.#loadWords();
    this.#queue = this.#words?.findQueue(state) ?? null;
    this.#explain();
  }

  async #loadWords() {
    this.#words ??= await import('./prediction-words.js');
  }

  /** @param {Palette} palette */
  setPalette(palette) {
    this.#chart.setPalette(palette);
  }

  /** @param {number} atMs the end of the load, by the app's clock @param {WhatIf} whatIf */
  async use(atMs, whatIf) {
    await this.#loadWords();
    const busiest = Object.entries(whatIf.routes).sort(([, a], [, b]) => b.count - a.count);
    const routes = Object.fromEntries(busiest.slice(0, MAX_ROUTES).sort(([a], [b]) => a.localeCompare(b)));
    this.#found = { atMs, whatIf, routes };
    this.#draw();
  }

  #explain() {
    if (!this.#words) return;
    const doubt = this.#words.explainDoubt(this.#found?.whatIf, this.#queue);
    this.#section.querySelector('.none')?.toggleAttribute('hidden', Boolean(this.#found ?? this.#queue));
    this.#setText('.doubt', doubt);
  }

  #draw() {
    this.#explain();
    if (!this.#found || !this.#words) return;
    const { describeAnswer, describeGuess, describeMeasured, describePrediction, describeSource } = this.#words;
    const { atMs, whatIf, routes } = this.#found;
    const { poolSizes, recordedSize, best } = whatIf;
    this.#section.querySelector('.found')?.toggleAttribute('hidden', poolSizes.length === 0);
    if (poolSizes.length === 0) return;
    const picked = findSize(poolSizes, this.#pickedSize ?? best?.size ?? Infinity);
    const answer = describeAnswer(whatIf, routes, picked);
    this.#slider.max = String(poolSizes.length - 1);
    this.#slider.value = String(picked);
    this.#slider.setAttribute('aria-valuetext', answer);
    this.#setText('.answer', answer);
    const prediction = describePrediction(whatIf, routes, picked);
    this.#setText('.measured', `${prediction} ${describeMeasured(recordedSize, routes)}`);
    this.#setText('.source', `${describeSource(atMs, routes)} ${describeGuess(whatIf)}`);
    this.#drawLegend(Object.keys(routes));
    this.#chart.show({ poolSizes, recordedSize, routes, picked });
  }

  /** @param {string[]} routes */
  #drawLegend(routes) {
    const items = [
      ...routes.map((route, index) => [`${route} simulated`, `predicted dash-${index}`]),
      ['measured', 'exact diamond'],
    ];
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
