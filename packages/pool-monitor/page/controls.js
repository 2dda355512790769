import { post, readToken, saveToken, watchLink } from './app-requests.js';
import { runAction } from './form-action.js';
import { createLoadTestForm } from './load-test-form.js';
import { formatSeconds } from './words.js';

/** @import { State } from './state.js' */

/** The forms that change the pool, the queries and the traffic. */
export function createControls() {
  const showPoolSize = createSetting('pool-size', {
    apply: (value) => post('/control/pool-size', { poolSize: value }),
    confirm: ({ poolSize: size }) => `The pool has ${size} ${size === 1 ? 'lane' : 'lanes'} now.`,
  });
  const showSlowMs = createSetting('slow-ms', {
    apply: (value) => post('/control/slow-ms', { slowMs: value }),
    confirm: ({ slowMs: ms }) => `A bus now takes ${formatSeconds(ms)}.`,
  });
  const setReachable = listenToSenders(find('traffic'));
  const showLoadTest = createLoadTestForm(find('load-test'));
  watchLink();
  listenToUnlock(find('unlock'));

  /** @param {State} state */
  function show(state) {
    const { pool, snapshot } = state;
    const isLocked = snapshot?.needsToken === true && !readToken();
    // Only the lab's app has them.
    find('lab').hidden = snapshot?.controls === undefined || snapshot.process !== undefined;
    find('controls').hidden = snapshot?.controls === false || isLocked;
    find('no-controls').hidden = snapshot?.controls !== false;
    find('locked').hidden = !isLocked;
    if (pool) {
      showPoolSize(pool.max);
      showSlowMs(pool.queries['/slow']?.aloneMs);
      setReachable(pool.database.reachable);
    }
    showLoadTest(state);
  }

  return { show };
}

/**
 * A number with presets. The app's value replaces the field's, but never while somebody is typing.
 * @param {string} id
 * @param {object} actions
 * @param {(value: number) => Promise<any>} actions.apply
 * @param {(answer: any) => string} actions.confirm
 * @returns {(value?: number) => void} shows the app's value
 */
function createSetting(id, { apply, confirm }) {
  const form = find(id);
  const field = /** @type {HTMLInputElement} */ (find(`${id}-value`));
  const presets = /** @type {HTMLButtonElement[]} */ ([...form.querySelectorAll('.presets button')]);
  let isDraft = false;
  field.addEventListener('input', () => {
    isDraft = true;
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    submit(field.valueAsNumber);
  });
  for (const preset of presets) preset.addEventListener('click', () => submit(Number(preset.value)));

  /** @param {number} value */
  async function submit(value) {
    await runAction(form, async () => {
      const answer = await apply(value);
      isDraft = false;
      return confirm(answer);
    });
  }

  return (value) => {
    if (value === undefined) return;
    if (!isDraft && field.value !== String(value)) field.value = String(value);
    for (const preset of presets) preset.setAttribute('aria-pressed', String(Number(preset.value) === value));
  };
}

/** @param {HTMLElement} form @returns {(reachable: boolean) => void} takes whether MongoDB is reachable */
function listenToSenders(form) {
  let isReachable = true;
  for (const button of form.querySelectorAll('button')) {
    const { route, count } = button.dataset;
    button.addEventListener('click', () => runAction(form, async () => {
      await post('/control/traffic', { route, count: Number(count) });
      return isReachable ? '' : 'Sent. It will fail unless MongoDB comes back in time.';
    }));
  }
  return (reachable) => {
    isReachable = reachable;
  };
}

/** @param {HTMLElement} form */
function listenToUnlock(form) {
  const field = /** @type {HTMLInputElement} */ (find('token'));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    runAction(form, async () => {
      await post('/control/token', {}, field.value);
      saveToken(field.value);
      field.value = '';
      return '';
    });
  });
}

/** @param {string} id */
function find(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}
