import { createBooths } from './booths.js';
import { QueuePanel } from './queue-panel.js';
import { createTunnel } from './tunnel.js';
import { describeClient, describePool, describeRisks } from './words.js';

/** @import { Palette } from './palette.js' */
/** @import { View } from './state.js' */

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
  /** @type {View | null} */
  let shown = null;

  return {
    /** @param {View | null} view null where there is no such pool */
    show(view) {
      if (view?.pool && view.pool !== shown?.pool) {
        booths.show(view.pool.server);
        tunnel.show(shown ?? view, view);
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
      setText(lanes, text.queue ? `${text.lanes}, ` : `${text.lanes}.`);
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

/** More tunnels are too many to watch. */
const MAX_OTHERS = 5;

/**
 * The tunnels of the app's other clients, below the main one.
 * @param {object} elements
 * @param {HTMLElement} elements.place
 * @param {HTMLElement} elements.template of a tunnel's section
 * @param {HTMLElement} elements.rest says how many have no tunnel
 * @param {MediaQueryList} reducedMotion
 */
export function createOtherScenes({ place, template, rest }, reducedMotion) {
  /** @type {{ section: HTMLElement, client: HTMLElement, scene: ReturnType<typeof createScene> }[]} */
  const shown = [];
  /** @type {Palette} */
  let colors;

  function add() {
    const copy = /** @type {HTMLTemplateElement} */ (template).content.firstElementChild?.cloneNode(true);
    const section = /** @type {HTMLElement} */ (copy);
    const find = (/** @type {string} */ selector) => /** @type {HTMLElement} */ (section.querySelector(selector));
    const sentence = find('h2');
    sentence.id = `client-${shown.length + 2}`;
    section.setAttribute('aria-labelledby', sentence.id);
    const detail = find('.detail');
    detail.id = `${sentence.id}-detail`;
    place.append(section);
    const scene = createScene(
      {
        sentence,
        detail,
        list: find('ol.queue'),
        risks: find('.risks'),
        canvas: find('canvas'),
        plaza: find('.server'),
      },
      reducedMotion,
    );
    if (colors) scene.setPalette(colors);
    shown.push({ section, client: find('.client'), scene });
  }

  return {
    list: () => shown.map(({ scene }) => scene),
    /** @param {View[]} views */
    show(views) {
      const visible = views.slice(0, MAX_OTHERS);
      while (shown.length < visible.length) add();
      for (const { section } of shown.splice(visible.length)) section.remove();
      for (const [index, view] of visible.entries()) {
        const { client, scene } = shown[index];
        const name = view.pool ? describeClient(view.pool) : '';
        const text = `${name.charAt(0).toUpperCase()}${name.slice(1)}.`;
        if (client.textContent !== text) client.textContent = text;
        scene.show(view);
      }
      const more = views.length - visible.length;
      rest.hidden = more === 0;
      rest.textContent = more === 0 ? '' : `And ${more} more ${more === 1 ? 'client' : 'clients'}: see /pool.`;
    },
    /** @param {Palette} palette */
    setPalette(palette) {
      colors = palette;
      for (const { scene } of shown) scene.setPalette(palette);
    },
  };
}
