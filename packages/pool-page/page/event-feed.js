import { recallRoutes, rememberRoutes } from './chart-routes.js';
import { createPlayback } from './playback.js';
import { createState, takeHistory, takePool, takeSecond } from './state.js';

/** @import { Snapshot } from '../universal/feed-shapes.js' */
/** @import { State } from './state.js' */

/** The app sends its pool five times a second. After this silence the connection counts as lost. */
const SILENCE_MS = 3000;
const RETRY_MS = 1000;

/**
 * Listens to the app until the page closes.
 * @param {(state: State) => void} onChange
 * @param {Map<string, (data: any) => void>} more listeners, by the name of the event
 * @returns {ReturnType<typeof createPlayback>} the time of what onChange was told
 */
export function listenToApp(onChange, more) {
  let state = createState(recallRoutes());
  let heardAtMs = performance.now();
  const playback = createPlayback(() => {
    rememberRoutes(state.routes);
    onChange(state);
  });

  /** @param {State} next */
  function change(next) {
    state = next;
    onChange(state);
  }

  function open() {
    const source = new EventSource('/pool/events');
    /** @type {(name: string, take: (data: any, atMs: number) => State) => void} */
    const on = (name, take) =>
      source.addEventListener(name, ({ data }) =>
        playback.add((atMs) => {
          state = take(JSON.parse(data), atMs);
        }),
      );
    on('history', ({ seconds }) => takeHistory(state, seconds));
    on('notes', (notes) => ({ ...state, notes }));
    on('second', (second) => takeSecond(state, second));
    for (const [name, listener] of more) {
      on(name, (data) => {
        listener(data);
        return state;
      });
    }
    on('pool', (pool, atMs) => ({ ...takePool(state, pool, atMs), connection: 'live' }));
    source.addEventListener('pool', () => {
      heardAtMs = performance.now();
      // In a pause, the reading itself is shown later.
      if (state.connection === 'lost') change({ ...state, connection: 'live' });
    });
    // The app may have restarted with other settings.
    source.addEventListener('open', () => {
      readSnapshot().then((snapshot) => change({ ...state, snapshot }), lose);
    });
    source.addEventListener('error', () => {
      lose();
      // The browser retries by itself, except after a response that is no event stream.
      if (source.readyState === EventSource.CLOSED) setTimeout(open, RETRY_MS);
    });
  }

  function lose() {
    if (state.connection !== 'lost') change({ ...state, connection: 'lost' });
  }

  open();
  setInterval(() => {
    if (performance.now() - heardAtMs > SILENCE_MS) lose();
  }, RETRY_MS);
  return playback;
}

/** @returns {Promise<Snapshot>} */
async function readSnapshot() {
  const response = await fetch('/pool');
  if (!response.ok) throw new Error(`/pool answered ${response.status}`);
  return response.json();
}
