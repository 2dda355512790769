import { describeServer } from './words.js';

/** @import { ServerReading } from '../universal/feed-shapes.js' */

/** More would be too small to see. Then each stands for several cores. */
const MAX_BOOTHS = 16;
const MAX_IN_COLUMN = 4;
/** A house with a roof and a window, and its barrier. */
const BOOTH = `<svg viewBox="-28 -50 76 50">
<path class="house" d="M-22-49h44l5 9h-8V0h-38v-40h-8zM23-17h6V0h-6z"/>
<path class="barrier" d="M22-22h24v6h-24z"/>
<path class="window" d="M-13-34h26v18h-26z"/><path class="window lit" d="M-13-34h26v18h-26z"/>
</svg>`;

/**
 * The toll booths behind a tunnel: one for each core of the server, with light in its window while the core is busy.
 * Where the cores are unknown, there are none.
 *
 * @param {HTMLElement} plaza
 */
export function createBooths(plaza) {
  const [booths, label] = ['.booths', 'p'].map((part) => /** @type {HTMLElement} */ (plaza.querySelector(part)));
  /** @type {SVGPathElement[]} */
  let lights = [];

  /** @param {number} count */
  function draw(count) {
    const columns = count > MAX_IN_COLUMN ? 2 : 1;
    booths.style.setProperty('--columns', String(columns));
    booths.style.setProperty('--rows', String(Math.ceil(count / columns)));
    booths.innerHTML = BOOTH.repeat(count);
    lights = [...booths.querySelectorAll('.lit')].map((light) => /** @type {SVGPathElement} */ (light));
  }

  return {
    /** @param {ServerReading | null} server */
    show(server) {
      plaza.classList.toggle('quiet', server === null);
      const text = describeServer(server);
      if (label.textContent !== text) label.textContent = text;
      if (server === null) return;
      const { cores, busyCores } = server;
      const count = Math.min(cores, MAX_BOOTHS);
      if (lights.length !== count) draw(count);
      const lit = ((busyCores ?? 0) / cores) * count;
      for (const [index, light] of lights.entries()) {
        light.style.opacity = String(Math.min(1, Math.max(0, lit - index)));
      }
    },
  };
}
