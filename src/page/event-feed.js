import { createState, takeHistory, takeLoadTest, takePool, takeSecond } from './state.js';

/** @import { State } from './state.js' */

/** The app tells of its pool four times a second; after this long it is not heard any more. */
const SILENCE_MS = 3000;
const RETRY_MS = 1000;

/**
 * Listens to the app, for as long as the page is open.
 * @param {(state: State) => void} onChange
 */
export function listenToApp(onChange) {
  let state = createState();
  let heardAtMs = performance.now();

  /** @param {State} next */
  function change(next) {
    state = next;
    onChange(state);
  }

  function open() {
    const source = new EventSource('/pool/events');
    /** @type {(name: string, take: (data: any) => State) => void} */
    const on = (name, take) => source.addEventListener(name, ({ data }) => change(take(JSON.parse(data))));
    on('history', ({ seconds }) => takeHistory(state, seconds));
    on('second', (second) => takeSecond(state, second));
    on('load-test', (loadTest) => takeLoadTest(state, loadTest));
    on('pool', (pool) => {
      heardAtMs = performance.now();
      return { ...takePool(state, pool, heardAtMs), connection: 'live' };
    });
    // The app may have been restarted with other settings in the meantime.
    source.addEventListener('open', () => {
      readSnapshot().then((snapshot) => change({ ...state, snapshot }), lose);
    });
    source.addEventListener('error', () => {
      lose();
      // The browser tries again by itself, but not after an answer that is no stream.
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
}

/** @returns {Promise<import('./feed-types.js').Snapshot>} */
async function readSnapshot() {
  const response = await fetch('/pool');
  if (!response.ok) throw new Error(`/pool answered ${response.status}`);
  return response.json();
}
