import { watchPalette } from 'mongodb-pool-page/page/palette.js';
import { serveRequests, startBackground } from './background.js';
import { formatLink, parseLink } from './link-state.js';
import { Player } from './player.js';
import { Sandbox } from './sandbox.js';
import { ScreenView } from './screen-view.js';
import { customersAndAdmins } from './scenarios.js';
import { SCREENS } from './screens.js';
import { assignTrips } from 'mongodb-pool-page/page/traffic-picture.js';

/** @import { Preset } from './simulation.js' */

/** A bus and Ferraris on one lane, for a few seconds. @type {Preset} */
const OPENING = {
  yaml: customersAndAdmins({ perSec: 2, seconds: 8, admins: 20 }),
  ...{ services: ['/fast=250', '/slow=1800'], pool: 1, poolSizes: [1] },
};

/** Browsers refuse to change an address a hundred times in a row. */
const LINK_AFTER_MS = 300;

/**
 * The ids of screens, and of the sandbox, are those of their sections.
 * @param {string} script the text of this program
 */
function openPage(script) {
  const ask = startBackground(script);
  const reducedMotion = matchMedia('(prefers-reduced-motion: reduce)');
  const find = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
  let { isEmbedded } = parseLink(location.hash);
  let isStarted = false;

  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  /** @param {ScreenView | Sandbox} view */
  function keepLink(view) {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const { id, values } = view;
      history.replaceState(null, '', formatLink({ id, isEmbedded, values }));
      const link = /** @type {HTMLAnchorElement} */ (find(id).querySelector('.link'));
      link.href = formatLink({ id, isEmbedded: false, values });
    }, LINK_AFTER_MS);
  }

  const sandbox = new Sandbox({ root: find('sandbox'), ask, reducedMotion, onChange: keepLink });
  const opening = new Player(find('opening'), reducedMotion);
  const views = [
    ...SCREENS.map(
      (screen) => new ScreenView(screen, { root: find(screen.id), ask, reducedMotion, onChange: keepLink }),
    ),
    sandbox,
  ];
  watchPalette((palette) => [opening, ...views].forEach((each) => each.setPalette(palette)));

  async function playOpening() {
    const { trips, lanes, endMs } = await ask('watch', OPENING);
    opening.load({ trips: assignTrips(trips, { '/slow': 'bus', '/fast': 'ferrari' }), lanes, endMs }, 1);
    opening.loop(endMs);
  }

  async function followLink() {
    const state = parseLink(location.hash);
    ({ isEmbedded } = state);
    document.documentElement.toggleAttribute('data-embed', isEmbedded);
    for (const view of views) find(view.id).toggleAttribute('data-linked', view.id === state.id);
    const linked = views.find(({ id }) => id === state.id);
    if (linked) find(linked.id).scrollIntoView();
    // What the reader sees comes first.
    if (!isStarted && !isEmbedded) await playOpening();
    await linked?.restore(state.values);
    for (const view of isStarted || isEmbedded ? [] : views) if (view !== linked) await view.restore({});
    isStarted ||= !isEmbedded;
    document.documentElement.dataset.ready = 'yes';
  }

  /** @param {{ name: string, text: string }} recording that this page was made for */
  async function replay({ name, text }) {
    document.documentElement.toggleAttribute('data-replay', true);
    document.title = `Replay of ${name}`;
    const [title] = document.getElementsByTagName('h1');
    title.textContent = document.title;
    find('sandbox-title').textContent = 'As it was, and with another pool';
    await sandbox.replay(name, text);
    document.documentElement.dataset.ready = 'yes';
  }

  const recording = document.getElementById('recording')?.textContent;
  if (recording) {
    void replay(JSON.parse(recording));
    return;
  }
  addEventListener('hashchange', () => void followLink());
  void followLink();
}

// One script for both: the page starts its own text again as a worker. From disk, a worker can't be loaded as a file.
if (typeof document === 'undefined') serveRequests();
else openPage(String(document.currentScript?.textContent));
