import { post, readToken, runAction, saveToken, watchLink } from './control-requests.js';
import { createLoadTestPanel } from './load-test-panel.js';
import { formatSeconds } from './load-tests.js';

/** @import { Page } from 'mongodb-pool-page/page/page-extension.js' */
/** @import { AppSnapshot } from './load-test-panel.js' */

/**
 * The forms that change the pool, the queries and the traffic, and the load tests. The live page calls this with the
 * place that has controls.html.
 *
 * @param {HTMLElement} place
 * @param {Page} page
 */
export function extendPage(place, page) {
  /** @param {string} id */
  const find = (id) => /** @type {HTMLElement} */ (place.querySelector(`#${id}`));
  const showPoolSize = createSetting(find('pool-size'), {
    apply: (value) => post('/control/pool-size', { poolSize: value }),
    confirm: ({ poolSize: size }) => `The pool has ${size} ${size === 1 ? 'lane' : 'lanes'} now.`,
  });
  const showSlowMs = createSetting(find('slow-ms'), {
    apply: (value) => post('/control/slow-ms', { slowMs: value }),
    confirm: ({ slowMs: ms }) => `A bus now takes ${formatSeconds(ms)}.`,
  });
  const setReachable = listenToSenders(find('traffic'));
  const showLoadTests = createLoadTestPanel({ form: find('load-test'), section: find('load-tests') }, page);
  watchLink();
  listenToUnlock(find('unlock'));

  page.onState(({ pool, ...state }) => {
    const snapshot = /** @type {AppSnapshot | null} */ (state.snapshot);
    const isLocked = snapshot?.needsToken === true && !readToken();
    find('lab').hidden = snapshot === null;
    find('controls').hidden = snapshot?.controls === false || isLocked;
    find('no-controls').hidden = snapshot?.controls !== false;
    find('locked').hidden = !isLocked;
    if (pool) {
      showPoolSize(pool.max);
      showSlowMs(pool.queries['/slow']?.aloneMs);
      setReachable(pool.database.reachable);
    }
    showLoadTests(snapshot);
  });
}

/**
 * A number with presets. The app's value replaces the field's, but never while somebody is typing.
 * @param {HTMLElement} form
 * @param {object} actions
 * @param {(value: number) => Promise<any>} actions.apply
 * @param {(answer: any) => string} actions.confirm
 * @returns {(value?: number) => void} shows the app's value
 */
function createSetting(form, { apply, confirm }) {
  const field = /** @type {HTMLInputElement} */ (form.querySelector('input'));
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
    button.addEventListener('click', () =>
      runAction(form, async () => {
        await post('/control/traffic', { route, count: Number(count) });
        return isReachable ? '' : 'Sent. It will fail unless MongoDB comes back in time.';
      }),
    );
  }
  return (reachable) => {
    isReachable = reachable;
  };
}

/** @param {HTMLElement} form */
function listenToUnlock(form) {
  const field = /** @type {HTMLInputElement} */ (form.querySelector('input'));
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
