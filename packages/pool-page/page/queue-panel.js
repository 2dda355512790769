import { nameRoute } from '../universal/holder-words.js';
import { kindOf } from '../universal/route-kinds.js';
import { fitQueue } from './queue-fit.js';
import { describeBehind, describeWaiter, formatSeconds } from './words.js';

/** @import { QueuedWaiter } from '../universal/feed-shapes.js' */
/** @import { Kind, RouteKinds } from '../universal/route-kinds.js' */
/** @import { LivePool } from './state.js' */

const SVG = 'http://www.w3.org/2000/svg';
const HINT = 'Choose a waiting vehicle to see why it waits.';

/** The vehicles outside the tunnel. The first one has waited longest and stands next to the entrance. */
export class QueuePanel {
  #list;
  #detail;
  #onChoose;
  #container;
  #rest = document.createElement('li');
  /** @type {Map<string, { item: HTMLLIElement, time: HTMLElement, vehicle: SVGSVGElement }>} */
  #places = new Map();
  /** @type {QueuedWaiter[]} */
  #shown = [];
  /** Keys of those that are shown. @type {string[]} */
  #keys = [];
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

  /** @param {LivePool} pool @param {RouteKinds} kinds */
  show({ waiting, queue }, kinds) {
    const list = this.#list;
    const fit = fitQueue(waiting, queue.length, this.#container.clientWidth, this.#container.clientHeight);
    this.#shown = queue.slice(0, fit.shown);
    this.#setStyle('--cell', `${fit.cell}px`);
    this.#setStyle('--rows', String(fit.rows));
    this.#keys = listKeys(this.#shown);
    const lostFocus = this.#removeOthers(new Set(this.#keys));
    for (const [index, waiter] of this.#shown.entries()) {
      const { item, time, vehicle } = this.#places.get(this.#keys[index]) ?? this.#addPlace(this.#keys[index], waiter);
      item.className = [index < fit.large ? 'large' : '', waiter.holds > 0 ? 'risky' : ''].join(' ').trim();
      setKind(vehicle, kindOf(kinds, waiter.route));
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
    for (const [index, { waitMs }] of this.#shown.entries()) {
      const time = this.#places.get(this.#keys[index])?.time;
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
    const waiter = this.#shown[this.#keys.indexOf(this.#chosen)];
    const text = waiter ? describeWaiter(waiter, elapsedMs) : HINT;
    this.#detail.classList.toggle('hint', !waiter);
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

  /** @param {string} key @param {QueuedWaiter} waiter */
  #addPlace(key, { route, behind, holds }) {
    const item = document.createElement('li');
    const button = document.createElement('button');
    const label = document.createElement('span');
    const time = document.createElement('span');
    const holders = describeBehind(behind);
    label.className = 'unseen';
    label.textContent =
      `${nameRoute(route)} ` +
      `${holds > 0 ? 'holds a connection and ' : ''}waits${holders ? ` behind ${holders}` : ''}, for `;
    Object.assign(button, { type: 'button', value: key });
    const vehicle = createVehicle();
    button.setAttribute('aria-describedby', this.#detail.id);
    button.append(vehicle, label, time);
    item.append(button);
    const place = { item, time, vehicle };
    this.#places.set(key, place);
    return place;
  }
}

/**
 * A request can wait for several connections, and work outside of requests has no id.
 * @param {QueuedWaiter[]} waiters
 * @returns {string[]} one for each
 */
function listKeys(waiters) {
  /** @type {Map<string | null, number>} */
  const counts = new Map();
  return waiters.map(({ requestId }) => {
    const count = counts.get(requestId) ?? 0;
    counts.set(requestId, count + 1);
    return `${requestId}/${count}`;
  });
}

function createVehicle() {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('class', 'vehicle');
  svg.setAttribute('viewBox', '-47 -36 94 40');
  svg.setAttribute('aria-hidden', 'true');
  svg.append(document.createElementNS(SVG, 'use'));
  return svg;
}

/**
 * Once requests of its route have ended, a Ferrari may turn out to be a bus.
 * @param {SVGSVGElement} vehicle
 * @param {Kind} kind
 */
function setKind({ firstElementChild: use }, kind) {
  if (use?.getAttribute('href') !== `#${kind}`) use?.setAttribute('href', `#${kind}`);
}
