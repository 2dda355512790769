import { TrafficPicture, describeWaiting, findPlaces } from 'mongodb-pool-page/page/traffic-picture.js';

/** @import { Palette } from 'mongodb-pool-page/page/palette.js' */
/** @import { Moment, Traffic } from 'mongodb-pool-page/page/traffic-picture.js' */

/** A second tunnel below the first: the same requests at the same moment, with another pool. */
export class Companion {
  #root;
  #picture;
  /** @type {Traffic | undefined} */
  #traffic;
  #title = '';
  /** @type {Moment} */
  #moment = { atMs: 0, speed: 1, isStill: true };

  /** @param {HTMLElement} root */
  constructor(root) {
    this.#root = root;
    this.#picture = new TrafficPicture(/** @type {HTMLElement} */ (root.querySelector('.stage')));
    new ResizeObserver(() => this.#paint()).observe(root);
  }

  /** @param {Palette} palette */
  setPalette(palette) {
    this.#picture.setPalette(palette);
    this.#paint();
  }

  /** @param {string} title @param {Traffic} traffic */
  load(title, traffic) {
    this.#title = title;
    this.#traffic = traffic;
    this.#root.hidden = false;
    this.#paint();
  }

  hide() {
    this.#traffic = undefined;
    this.#root.hidden = true;
  }

  /** @param {Moment} moment of the first tunnel */
  show(moment) {
    this.#moment = moment;
    this.#paint();
  }

  #paint() {
    if (!this.#traffic) return;
    const places = findPlaces(this.#traffic.trips, this.#moment.atMs);
    const caption = /** @type {HTMLElement} */ (this.#root.querySelector('figcaption'));
    const text = `${this.#title} · ${places.driving.length} in the tunnel, ${describeWaiting(places)}`;
    if (caption.textContent !== text) caption.textContent = text;
    this.#picture.paint(this.#traffic, places, this.#moment);
  }
}
