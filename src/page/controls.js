import { attempt, setDisabled } from './attempt.js';
import { post } from './post.js';
import { keepToken, readToken, watchLink } from './page-token.js';
import { describeChanges, formatSeconds } from './words.js';

/** @import { State } from './state.js' */
/** @import { LoadTest } from './feed-types.js' */

/** The forms that change the pool, the queries and the traffic. */
export function createControls() {
  const poolSize = createSetting('pool-size', {
    order: (value) => post('/control/pool-size', { poolSize: value }),
    confirm: ({ poolSize: size }) => `The pool has ${size} ${size === 1 ? 'lane' : 'lanes'} now.`,
  });
  const slowMs = createSetting('slow-ms', {
    order: (value) => post('/control/slow-ms', { slowMs: value }),
    confirm: ({ slowMs: ms }) => `A bus now takes ${formatSeconds(ms)}.`,
  });
  const senders = listenToSenders(find('traffic'));
  const loadTest = createLoadTestForm();
  watchLink();
  listenToUnlock(find('unlock'));

  /** @param {State} state */
  function show({ pool, snapshot, loadTests }) {
    const isLocked = snapshot?.needsToken === true && !readToken();
    find('controls').hidden = snapshot?.controls === false || isLocked;
    find('no-controls').hidden = snapshot?.controls !== false;
    find('locked').hidden = !isLocked;
    if (pool) {
      poolSize(pool.max);
      slowMs(pool.slowMs);
      senders(pool.database.reachable);
    }
    loadTest(loadTests.find(({ state }) => state === 'running'));
  }

  return { show };
}

/**
 * A number with presets. What the app says replaces what is in the field, but never what somebody is typing.
 * @param {string} id
 * @param {object} actions
 * @param {(value: number) => Promise<any>} actions.order
 * @param {(answer: any) => string} actions.confirm
 * @returns {(value: number) => void} shows the value that holds
 */
function createSetting(id, { order, confirm }) {
  const form = find(id);
  const field = /** @type {HTMLInputElement} */ (find(`${id}-value`));
  const presets = /** @type {HTMLButtonElement[]} */ ([...form.querySelectorAll('.presets button')]);
  let isDraft = false;
  field.addEventListener('input', () => {
    isDraft = true;
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    apply(field.valueAsNumber);
  });
  for (const preset of presets) preset.addEventListener('click', () => apply(Number(preset.value)));

  /** @param {number} value */
  async function apply(value) {
    await attempt(form, async () => {
      const answer = await order(value);
      isDraft = false;
      return confirm(answer);
    });
  }

  return (value) => {
    if (!isDraft && field.value !== String(value)) field.value = String(value);
    for (const preset of presets) preset.setAttribute('aria-pressed', String(Number(preset.value) === value));
  };
}

/**
 * @param {HTMLElement} form
 * @returns {(reachable: boolean) => void} told whether MongoDB is reachable
 */
function listenToSenders(form) {
  let isReachable = true;
  for (const button of form.querySelectorAll('button')) {
    const { route, count } = button.dataset;
    button.addEventListener('click', () => attempt(form, async () => {
      await post('/control/traffic', { route, count: Number(count) });
      return isReachable ? '' : 'Sent. It fails, unless MongoDB comes back in time.';
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
    attempt(form, async () => {
      await post('/control/token', {}, field.value);
      keepToken(field.value);
      field.value = '';
      return '';
    });
  });
}

/** @returns {(running: LoadTest | undefined) => void} */
function createLoadTestForm() {
  const form = find('load-test');
  const progress = find('load-test-progress');
  const bar = /** @type {HTMLProgressElement} */ (progress.querySelector('progress'));
  const left = /** @type {HTMLElement} */ (progress.querySelector('p'));
  const button = /** @type {HTMLButtonElement} */ (form.querySelector('button'));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (button.getAttribute('aria-disabled') === 'true') return;
    attempt(form, async () => {
      await post('/control/load-test', {});
      return '';
    });
  });
  return (running) => {
    progress.hidden = !running;
    if (!form.hasAttribute('aria-busy')) setDisabled(button, Boolean(running));
    if (!running) return;
    const changes = describeChanges(running);
    // How long the rest takes was worked out for a load that stays as it is.
    if (changes) bar.removeAttribute('value');
    else bar.value = running.progress;
    const leftS = Math.ceil(running.leftMs / 1000);
    left.textContent = changes ? `running; ${changes}` : `running with a pool of ${running.poolSize}, about ${leftS} s left`;
  };
}

/** @param {string} id */
function find(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}
