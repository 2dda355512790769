import { fitQueue } from './queue-fit.js';
import { describeBehind, describeWaiter, formatSeconds, nameRoute } from './words.js';

/** @import { Waiter } from '../src/live/feed-shapes.js' */
/** @import { LivePool } from './state.js' */

const SVG = 'http://www.w3.org/2000/svg';
const HINT = 'Point at a waiting vehicle to see what it is waiting for.';

/** The vehicles outside the tunnel. The first one has waited longest and stands next to the entrance. */
export class QueuePanel {
  #list;
  #detail;
  #onChoose;
  #container;
  #rest = document.createElement('li');
  /** @type {Map<string, { item: HTMLLIElement, button: HTMLButtonElement, time: HTMLElement }>} */
  #places = new Map();
  /** @type {Waiter[]} */
  #shown = [];
  #chosen = '';

  /**
   * @param {object} elements
   * @param {HTMLElement} elements.list
   * @param {HTMLElement} elements.detail describes the chosen waiter
   * @param {(requestIds: Set<string | null>) => void} onChoose gets the requests that hold the connections
   */
  constructor({ list, detail }, onChoose) {
    this.#list = list;
    this.#detail = detail;
    this.#onChoose = onChoose;
    this.#container = /** @type {HTMLElement} */ (list.parentElement);
    this.#rest.className = 'rest';
    for (const type of ['pointerover', 'focusin', 'click']) {
      list.addEventListener(type, ({ target }) => this.#choose(target));
    }
    list.addEventListener('pointerleave', () => this.#choose(document.activeElement));
    list.addEventListener('focusout', () => this.#choose(null));
  }

  /** @param {LivePool} pool */
  show({ waiting, queue }) {
    const list = this.#list;
    const fit = fitQueue(waiting, queue.length, this.#container.clientWidth, this.#container.clientHeight);
    this.#shown = queue.slice(0, fit.shown);
    this.#setStyle('--cell', `${fit.cell}px`);
    this.#setStyle('--rows', String(fit.rows));
    const lostFocus = this.#removeOthers(new Set(this.#shown.map(({ requestId }) => String(requestId))));
    for (const [index, waiter] of this.#shown.entries()) {
      const { item, time } = this.#places.get(String(waiter.requestId)) ?? this.#addPlace(waiter);
      item.className = index < fit.large ? 'large' : '';
      time.className = index < fit.large ? '' : 'unseen';
      if (list.children[index] !== item) list.insertBefore(item, list.children[index] ?? null);
    }
    this.#rest.textContent = fit.more > 0 ? `+${fit.more} more` : '';
    if (fit.more === 0) this.#rest.remove();
    else if (list.lastElementChild !== this.#rest) list.append(this.#rest);
    // The focused vehicle has left: focus the next one, so that keyboard users keep their place.
    if (lostFocus) (list.querySelector('button') ?? list).focus();
  }

  /** @param {number} elapsedMs since the last pool event */
  tick(elapsedMs) {
    for (const { requestId, waitMs } of this.#shown) {
      const time = this.#places.get(String(requestId))?.time;
      const text = formatSeconds(waitMs + elapsedMs);
      if (time && time.textContent !== text) time.textContent = text;
    }
    this.#describeChosen(elapsedMs);
  }

  /** @param {EventTarget | null} target */
  #choose(target) {
    this.#chosen = (target instanceof Element && target.closest('button')?.value) || '';
    this.#describeChosen(0);
  }

  /** @param {number} elapsedMs */
  #describeChosen(elapsedMs) {
    const waiter = this.#shown.find(({ requestId }) => String(requestId) === this.#chosen);
    const text = waiter ? describeWaiter(waiter.route, waiter.waitMs + elapsedMs, waiter.behind)
      : this.#shown.length > 0 ? HINT : '';
    if (this.#detail.textContent !== text) this.#detail.textContent = text;
    this.#onChoose(new Set(waiter?.behind.map(({ requestId }) => requestId)));
  }

  /**
   * Only on a change: each set costs a layout.
   * @param {string} property
   * @param {string} value
   */
  #setStyle(property, value) {
    if (this.#list.style.getPropertyValue(property) !== value) this.#list.style.setProperty(property, value);
  }

  /** @param {Set<string>} keys */
  #removeOthers(keys) {
    let lostFocus = false;
    for (const [key, { item }] of this.#places) {
      if (keys.has(key)) continue;
      lostFocus ||= item.contains(document.activeElement);
      this.#places.delete(key);
      item.remove();
    }
    return lostFocus;
  }

  /** @param {Waiter} waiter */
  #addPlace({ requestId, route, behind }) {
    const item = document.createElement('li');
    const button = document.createElement('button');
    const label = document.createElement('span');
    const time = document.createElement('span');
    const holders = describeBehind(behind);
    label.className = 'unseen';
    label.textContent = `${nameRoute(route)} waits${holders ? ` behind ${holders}` : ''}, for `;
    Object.assign(button, { type: 'button', value: String(requestId) });
    button.setAttribute('aria-describedby', this.#detail.id);
    button.append(createVehicle(route), label, time);
    item.append(button);
    const place = { item, button, time };
    this.#places.set(String(requestId), place);
    return place;
  }
}

/** @param {string | null} route */
function createVehicle(route) {
  const svg = document.createElementNS(SVG, 'svg');
  const use = document.createElementNS(SVG, 'use');
  svg.setAttribute('class', 'vehicle');
  svg.setAttribute('viewBox', '-47 -36 94 40');
  svg.setAttribute('aria-hidden', 'true');
  use.setAttribute('href', route === '/slow' ? '#bus' : '#ferrari');
  svg.append(use);
  return svg;
}
