import { createBooths } from './booths.js';
import { QueuePanel } from './queue-panel.js';
import { createTunnel } from './tunnel.js';
import { describePool, describeRisks } from './words.js';

/** @import { Palette } from './palette.js' */
/** @import { LivePool, View } from './state.js' */

/**
 * One pool: its tunnel, its queue, a sentence about both, what is dangerous, and the server behind it.
 * @param {Record<'sentence' | 'list' | 'detail' | 'risks' | 'canvas' | 'plaza', HTMLElement>} elements
 * @param {MediaQueryList} reducedMotion
 */
export function createScene({ sentence, list, detail, risks, canvas, plaza }, reducedMotion) {
  const tunnel = createTunnel(/** @type {HTMLCanvasElement} */ (canvas), reducedMotion);
  const booths = createBooths(plaza);
  const queue = new QueuePanel({ list, detail }, tunnel.highlight);
  const [lanes, waiting] = ['.lanes', '.queue'].map(
    (part) => /** @type {HTMLElement} */ (sentence.querySelector(part)),
  );
  const isNamed = sentence.querySelector('.client') !== null;
  /** @type {View | null} */
  let shown = null;

  /** Other tunnels have their names. @param {LivePool} pool */
  function nameServer({ role, address }) {
    return isNamed || !address ? '' : `${role ? `The ${role}` : address}. `;
  }

  return {
    /** @param {View | null} view null where there is no such pool */
    show(view) {
      if (view?.pool && view.pool !== shown?.pool) {
        booths.show(view.pool.server);
        tunnel.show(shown && shown.pool?.address === view.pool.address ? shown : view, view);
        queue.show(view.pool, view.kinds);
        const text = describeRisks(view.pool);
        risks.hidden = text === '';
        setText(risks, text);
      }
      shown = view;
    },
    /** Paints what changes between two pool events. @param {number} elapsedMs since the last one */
    paint(elapsedMs) {
      if (!shown) return;
      tunnel.paint(shown, elapsedMs);
      if (!shown.pool) return;
      queue.tick(elapsedMs);
      const text = describePool(shown.pool, elapsedMs);
      sentence.dataset.mood = text.mood;
      setText(lanes, `${nameServer(shown.pool)}${text.lanes}${text.queue ? ', ' : '.'}`);
      setText(waiting, text.queue && `${text.queue}.`);
    },
    /** @param {number} nowMs */
    isMoving: (nowMs) => Boolean(shown) && (tunnel.isMoving(nowMs) || Number(shown?.pool?.waiting) > 0),
    /** @param {Palette} palette */
    setPalette: (palette) => tunnel.setPalette(palette),
  };
}

/** @param {HTMLElement} element @param {string} text */
function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
