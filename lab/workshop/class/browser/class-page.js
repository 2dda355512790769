import { readEvents } from 'mongodb-pool-page/universal/read-events.js';

/** @import { LessonView } from '../lesson-view.js' */

const RETRY_MS = 1000;

/** @param {string} id */
export const find = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Partial<HTMLElementTagNameMap[Tag]>} properties
 * @param {(Node | string)[]} children
 */
export function create(tag, properties, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

/**
 * Leaves an unchanged text alone, so that a screen reader does not say it again.
 * @param {string} id
 * @param {string} text
 */
export function setText(id, text) {
  if (find(id).textContent !== text) find(id).textContent = text;
}

/** Explains what the chart of guesses shows, and nothing else. @param {LessonView} lesson @param {number} [mine] */
export function showLegend({ measured, results, answer }, mine) {
  const parts = {
    mine: mine !== undefined,
    closest: results.some(({ guess, place }) => place === 1 && guess !== mine),
    found: measured.length > 0,
    answer: answer !== undefined,
  };
  for (const [name, isThere] of Object.entries(parts)) {
    for (const part of find('legend').querySelectorAll(`.${name}`)) part.toggleAttribute('hidden', !isThere);
  }
}

/**
 * Follows the events of a class, and reconnects after an interruption. EventSource can't send a token.
 * @param {string} url
 * @param {object} options
 * @param {string} [options.token]
 * @param {(data: any) => void} options.onData
 * @param {(status: number) => void} options.onTrouble status 0: no connection; any other: the class refuses
 * @returns {Promise<never>}
 */
export async function followClass(url, { token, onData, onTrouble }) {
  for (;;) {
    let status = 0;
    try {
      const response = await fetch(url, { headers: token ? { Authorization: `Bearer ${token}` } : {} });
      if (!response.ok) status = response.status;
      else if (response.body) for await (const { data } of readEvents(response.body)) onData(data);
    } catch {
      // The class can't be reached.
    }
    onTrouble(status);
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}
