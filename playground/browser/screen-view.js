import { formatQuantity } from 'mongodb-pool-page/universal/quantity.js';
import { findKinds } from 'mongodb-pool-page/universal/route-kinds.js';
import { fillTable } from './figures-table.js';
import { Handles } from './handles.js';
import { keepLatest } from './background.js';
import { Player, findDecisiveMs } from './player.js';
import { assignTrips } from 'mongodb-pool-page/page/traffic-picture.js';

/** @import { Ask } from './background.js' */
/** @import { Handle, Screen, Values } from './screens.js' */
/** @import { Prediction, Preset } from './simulation.js' */

/** One screen: its guess, its handles, its tunnel and its figures. */
export class ScreenView {
  #screen;
  #root;
  #ask;
  #onChange;
  #player;
  #handles;
  #isOpen = false;
  /**
   * The prediction for the first values of the handles, which the guess is about.
   * @type {Promise<Prediction> | undefined}
   */
  #firstPrediction;
  #update = keepLatest(() => this.#simulate());

  /**
   * @param {Screen} screen
   * @param {{ root: HTMLElement, ask: Ask, reducedMotion: MediaQueryList, onChange: (view: ScreenView) => void }}
   *   surroundings
   */
  constructor(screen, { root, ask, reducedMotion, onChange }) {
    this.#screen = screen;
    this.#root = root;
    this.#ask = ask;
    this.#onChange = onChange;
    this.#player = new Player(root, reducedMotion);
    this.#handles = new Handles(root, (name) => {
      if (name !== 'guess') void this.#update();
      this.#onChange(this);
    });
    // No form: a frame may forbid to submit them.
    this.#find('.guess button').addEventListener('click', () => {
      void this.open(true);
      this.#onChange(this);
    });
  }

  /** What the link says: the guess only once it is placed. @returns {Record<string, string>} */
  get values() {
    const { guess, ...changed } = this.#handles.changed;
    return { ...changed, ...(this.#isOpen && { guess: guess ?? String(this.#handles.read('guess')) }) };
  }

  get id() {
    return this.#screen.id;
  }

  /** @param {Record<string, string>} values from a link */
  async restore(values) {
    this.#handles.restore(values);
    await (values.guess === undefined ? this.#update() : this.open(false));
  }

  /** Shows the answer. @param {boolean} isPlaced whether the reader has just placed the guess */
  async open(isPlaced) {
    this.#isOpen = true;
    this.#player.pause();
    this.#root.dataset.state = 'open';
    await Promise.all([this.#update(), this.#judge()]);
    this.#find('.result').hidden = false;
    if (!isPlaced) return;
    this.#find('.verdict').focus();
    this.#player.start();
  }

  /** @param {import('mongodb-pool-page/page/palette.js').Palette} palette */
  setPalette(palette) {
    this.#player.setPalette(palette);
  }

  /** Judges the guess, which is about the first values of the handles. */
  async #judge() {
    const { preset: presetOf, answer, guess } = this.#screen;
    const first = this.#first;
    const prediction = await this.#predict(first);
    const right = answer(figuresOf(prediction, presetOf(first).pool), prediction, first);
    this.#find('.verdict').textContent = judgeGuess(this.#handles.read('guess'), right, guess);
  }

  async #simulate() {
    const { preset: presetOf, speed, tunnels } = this.#screen;
    const values = Object.fromEntries(this.#screen.handles.map(({ name }) => [name, this.#handles.read(name)]));
    const preset = presetOf(values);
    const [prediction, run] = await Promise.all([this.#predict(values), this.#ask('watch', preset)]);
    const kinds = kindsOf(prediction);
    const { lanes, endMs } = run;
    const trips = assignTrips(run.trips, kinds);
    const traffic = { trips, lanes, tunnels: tunnels?.(values), cores: preset.cores, endMs };
    this.#player.load(traffic, speed);
    if (this.#isOpen) this.#show(prediction, preset, values);
    else this.#player.loop(findDecisiveMs(traffic));
  }

  /** @param {Prediction} prediction @param {Preset} preset @param {Values} values */
  #show(prediction, preset, values) {
    const { guess, describe } = this.#screen;
    const figures = figuresOf(prediction, preset.pool);
    const first = this.#first;
    this.#find('.told').textContent = describe(figures, prediction, values);
    fillTable(/** @type {HTMLTableElement} */ (this.#find('table')), this.#screen, prediction, {
      pool: preset.pool,
      isMeasured: isMeasuredLoad(first, values),
      guessMs: isSame(first, values) ? guessInMs(this.#handles.read('guess'), guess) : undefined,
    });
    this.#find('.unmeasured').hidden = isMeasuredLoad(first, values);
  }

  /** The first values of the handles. @returns {Values} */
  get #first() {
    return Object.fromEntries(this.#screen.handles.map(({ name, value }) => [name, value]));
  }

  /** @param {Values} values @returns {Promise<Prediction>} */
  #predict(values) {
    const ask = () => this.#ask('predict', this.#screen.preset(values));
    return isSame(this.#first, values) ? (this.#firstPrediction ??= ask()) : ask();
  }

  /** @param {string} selector */
  #find(selector) {
    return /** @type {HTMLElement} */ (this.#root.querySelector(selector));
  }
}

/** @param {Values} first @param {Values} values */
function isSame(first, values) {
  return Object.keys(first).every((name) => first[name] === values[name]);
}

/** The lab measured this load with several numbers of lanes and apps. @param {Values} first @param {Values} values */
function isMeasuredLoad(first, values) {
  return Object.keys(first).every((name) => ['lanes', 'apps'].includes(name) || first[name] === values[name]);
}

/** Buses and Ferraris, by their service times. @param {Prediction} prediction */
export function kindsOf({ load }) {
  const times = Object.entries(load.routes).map(([route, { meanMs }]) => [route, { aloneMs: meanMs, isWork: false }]);
  return findKinds([], Object.fromEntries(times)).known;
}

/** @param {Prediction} prediction @param {number} pool */
export function figuresOf({ variants }, pool) {
  const found = variants.find(({ settings }) => settings.poolSize === pool);
  return /** @type {NonNullable<typeof found>} */ (found).predicted;
}

/**
 * @param {number} guess
 * @param {Pick<Handle, 'unit'>} handle
 * @returns {number | undefined} undefined unless it is a time
 */
function guessInMs(guess, { unit }) {
  return { s: guess * 1000, ms: guess }[String(unit)];
}

/** @param {number} guess @param {number} answer @param {Pick<Handle, 'unit'>} handle */
function judgeGuess(guess, answer, { unit = '' }) {
  const right = unit === 's' ? formatQuantity(answer * 1000, 'ms') : formatQuantity(answer, unit);
  const off = Math.abs(guess - answer) / Math.max(answer, 1e-9);
  if (off < 0.03) return `${right}. Your guess is right.`;
  return `${right}. You said ${guess} ${unit}${off < 0.25 ? ': close' : ''}.`;
}
