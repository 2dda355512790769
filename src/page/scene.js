import { createQueue } from './queue.js';
import { createTunnel } from './tunnel.js';
import { describePool } from './words.js';

/** @import { Palette } from './palette.js' */
/** @import { View } from './state.js' */

/**
 * One pool: its tunnel, the queue before it, and a sentence on both.
 * @param {Record<'sentence' | 'list' | 'detail' | 'canvas', HTMLElement>} elements
 * @param {MediaQueryList} stillness whether the reader wants no movement
 */
export function createScene({ sentence, list, detail, canvas }, stillness) {
  const tunnel = createTunnel(/** @type {HTMLCanvasElement} */ (canvas), stillness);
  const queue = createQueue({ list, detail }, tunnel.highlight);
  const [lanes, waiting] = ['.lanes', '.queue'].map((part) => /** @type {HTMLElement} */ (sentence.querySelector(part)));
  /** @type {View | null} */
  let shown = null;

  return {
    /** @param {View | null} view null for a pool that is not there */
    show(view) {
      if (view?.pool && view.pool !== shown?.pool) {
        tunnel.show(shown ?? view, view);
        queue.show(view.pool);
      }
      shown = view;
    },
    /**
     * All that changes between two events of the app.
     * @param {number} elapsedMs since the last one
     */
    paint(elapsedMs) {
      if (!shown) return;
      tunnel.paint(shown, elapsedMs);
      if (!shown.pool) return;
      queue.tick(elapsedMs);
      const said = describePool(shown.pool, elapsedMs);
      sentence.dataset.mood = said.mood;
      say(lanes, said.queue ? `${said.lanes}, ` : `${said.lanes}.`);
      say(waiting, said.queue && `${said.queue}.`);
    },
    /** @param {number} nowMs */
    moves: (nowMs) => Boolean(shown) && (tunnel.moves(nowMs) || Number(shown?.pool?.waiting) > 0),
    /** @param {Palette} palette */
    setPalette: (palette) => tunnel.setPalette(palette),
  };
}

/**
 * @param {HTMLElement} element
 * @param {string} text
 */
function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
