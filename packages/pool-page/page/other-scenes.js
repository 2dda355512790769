import { createScene } from './scene.js';
import { describeClient, describeRest } from './words.js';

/** @import { Palette } from './palette.js' */
/** @import { View } from './state.js' */

/** @typedef {ReturnType<typeof createOtherScenes>} OtherScenes */

/** More tunnels are too many to watch. */
const MAX_OTHERS = 5;

/**
 * The tunnels of the app's other pools, below the main one.
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
      rest.textContent = more === 0 ? '' : describeRest(views.slice(MAX_OTHERS).flatMap(({ pool }) => pool ?? []));
    },
    /** @param {Palette} palette */
    setPalette(palette) {
      colors = palette;
      for (const { scene } of shown) scene.setPalette(palette);
    },
  };
}
