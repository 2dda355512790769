import { formatQuantity } from '../universal/quantity.js';

/** @import { State } from './state.js' */

/**
 * What the page offers to the module of an app, which exports `extendPage(place, page)`.
 *
 * @typedef {object} Page
 * @property {(listener: (state: State) => void) => void} onState calls the listener with each new state of the page
 * @property {(name: string, listener: (data: any) => void) => void} onEvent calls the listener with the data of each
 *   event of that name in the app's stream, when the page shows it: a pause delays it
 * @property {(text: string) => void} announce says a sentence to screen readers when its turn comes
 * @property {(ms: number) => string} formatMs writes a time as the page does
 */

/** What an app adds to the page. Most apps add nothing. @see createLiveView */
export class PageExtension {
  /** Handlers by the name of the event. @type {Map<string, (data: any) => void>} */
  events = new Map();
  /** What is still to be said. @type {string[]} */
  messages = [];
  /** @type {((state: State) => void)[]} */
  #listeners = [];

  /**
   * Loads the app's module, if the page names one.
   * @param {HTMLElement} place with the app's HTML
   */
  async load(place) {
    const link = /** @type {HTMLLinkElement | null} */ (document.querySelector('link[rel="modulepreload"]'));
    if (!link) return;
    try {
      const { extendPage } = await import(link.href);
      extendPage(
        place,
        /** @type {Page} */ ({
          onState: (listener) => this.#listeners.push(listener),
          onEvent: (name, listener) => this.events.set(name, listener),
          announce: (text) => this.messages.push(text),
          formatMs: (ms) => formatQuantity(ms, 'ms'),
        }),
      );
    } catch (error) {
      // Without it, the page still shows the pools.
      reportError(error);
    }
  }

  /** @param {State} state */
  show(state) {
    for (const listener of this.#listeners) listener(state);
  }
}
