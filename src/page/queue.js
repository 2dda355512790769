import { fitQueue } from './queue-fit.js';
import { describeBehind, describeWaiter, formatSeconds, nameRoute } from './words.js';

/** @import { Pool, Waiter } from './feed-types.js' */

const SVG = 'http://www.w3.org/2000/svg';
const HINT = 'Point at a waiting vehicle to see what it is waiting for.';

/**
 * The vehicles outside the tunnel. The first in the list has waited longest and stands next to the entrance.
 * @param {object} elements
 * @param {HTMLElement} elements.list
 * @param {HTMLElement} elements.detail where the chosen one's story is told
 * @param {(requestIds: Set<string | null>) => void} onChoose with the requests that hold the connections
 */
export function createQueue({ list, detail }, onChoose) {
  /** @type {Map<string, { item: HTMLLIElement, button: HTMLButtonElement, time: HTMLElement }>} */
  const places = new Map();
  const rest = document.createElement('li');
  rest.className = 'rest';
  const room = /** @type {HTMLElement} */ (list.parentElement);
  /** @type {Waiter[]} */
  let shown = [];
  let chosen = '';

  for (const type of ['pointerover', 'focusin', 'click']) {
    list.addEventListener(type, ({ target }) => choose(target));
  }
  list.addEventListener('pointerleave', () => choose(document.activeElement));
  list.addEventListener('focusout', () => choose(null));

  /** @param {EventTarget | null} target */
  function choose(target) {
    chosen = (target instanceof Element && target.closest('button')?.value) || '';
    announceChosen(0);
  }

  /** @param {number} elapsedMs since the app told the waiting times */
  function announceChosen(elapsedMs) {
    const waiter = shown.find(({ requestId }) => String(requestId) === chosen);
    const text = waiter ? describeWaiter(waiter.route, waiter.waitMs + elapsedMs, waiter.behind)
      : shown.length > 0 ? HINT : '';
    if (detail.textContent !== text) detail.textContent = text;
    onChoose(new Set(waiter?.behind.map(({ requestId }) => requestId)));
  }

  /** @param {Pool} pool */
  function show({ waiting, queue }) {
    const fit = fitQueue(waiting, queue.length, room.clientWidth, room.clientHeight);
    shown = queue.slice(0, fit.shown);
    setLook('--cell', `${fit.cell}px`);
    setLook('--rows', String(fit.rows));
    const keys = new Set(shown.map(({ requestId }) => String(requestId)));
    const lostFocus = removeOthers(keys);
    for (const [index, waiter] of shown.entries()) {
      const { item, time } = places.get(String(waiter.requestId)) ?? addPlace(waiter);
      item.className = index < fit.large ? 'large' : '';
      time.className = index < fit.large ? '' : 'unseen';
      if (list.children[index] !== item) list.insertBefore(item, list.children[index] ?? null);
    }
    rest.textContent = fit.more > 0 ? `+${fit.more} more` : '';
    if (fit.more === 0) rest.remove();
    else if (list.lastElementChild !== rest) list.append(rest);
    // The one in focus has left: the next in the queue takes over, so that the keyboard keeps its place.
    if (lostFocus) (list.querySelector('button') ?? list).focus();
  }

  /**
   * Told only when it changes: a style costs a layout.
   * @param {string} property
   * @param {string} value
   */
  function setLook(property, value) {
    if (list.style.getPropertyValue(property) !== value) list.style.setProperty(property, value);
  }

  /** @param {Set<string>} keys */
  function removeOthers(keys) {
    let lostFocus = false;
    for (const [key, { item }] of places) {
      if (keys.has(key)) continue;
      lostFocus ||= item.contains(document.activeElement);
      places.delete(key);
      item.remove();
    }
    return lostFocus;
  }

  /** @param {Waiter} waiter */
  function addPlace({ requestId, route, behind }) {
    const item = document.createElement('li');
    const button = document.createElement('button');
    const story = document.createElement('span');
    const time = document.createElement('span');
    const holders = describeBehind(behind);
    story.className = 'unseen';
    story.textContent = `${nameRoute(route)} waits${holders ? ` behind ${holders}` : ''}, for `;
    Object.assign(button, { type: 'button', value: String(requestId) });
    button.setAttribute('aria-describedby', detail.id);
    button.append(drawVehicle(route), story, time);
    item.append(button);
    const place = { item, button, time };
    places.set(String(requestId), place);
    return place;
  }

  /** @param {number} elapsedMs since the app told the waiting times */
  function tick(elapsedMs) {
    for (const { requestId, waitMs } of shown) {
      const time = places.get(String(requestId))?.time;
      const text = formatSeconds(waitMs + elapsedMs);
      if (time && time.textContent !== text) time.textContent = text;
    }
    announceChosen(elapsedMs);
  }

  return { show, tick };
}

/** @param {string | null} route */
function drawVehicle(route) {
  const svg = document.createElementNS(SVG, 'svg');
  const use = document.createElementNS(SVG, 'use');
  svg.setAttribute('class', 'vehicle');
  svg.setAttribute('viewBox', '-47 -36 94 40');
  svg.setAttribute('aria-hidden', 'true');
  use.setAttribute('href', route === '/slow' ? '#bus' : '#ferrari');
  svg.append(use);
  return svg;
}
