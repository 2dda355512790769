import { post } from './app-requests.js';
import { runAction, setDisabled } from './form-action.js';
import { describeChanges } from './words.js';

/** @import { LoadTest } from './load-test-shapes.js' */
/** @import { State } from './state.js' */

/** @param {HTMLElement} form @returns {(state: Pick<State, 'loadTests' | 'snapshot'>) => void} */
export function createLoadTestForm(form) {
  /** @param {string} selector */
  const find = (selector) => /** @type {HTMLElement} */ (form.querySelector(selector));
  const [scenario, missing, progress] = ['.scenario', '.missing', '.progress'].map(find);
  const button = /** @type {HTMLButtonElement} */ (find('button'));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (button.getAttribute('aria-disabled') === 'true') return;
    runAction(form, async () => {
      await post('/control/load-test', {});
      return '';
    });
  });
  return ({ loadTests, snapshot }) => {
    const running = loadTests.find(({ state }) => state === 'running');
    const isMissing = snapshot?.features.loadTests === false;
    scenario.hidden = isMissing;
    missing.hidden = !isMissing;
    progress.hidden = !running;
    if (!form.hasAttribute('aria-busy')) setDisabled(button, isMissing || Boolean(running));
    if (running) showProgress(progress, running);
  };
}

/**
 * The app estimates the progress for the settings at the start, so it is unknown once somebody has changed them.
 * @param {HTMLElement} element
 * @param {LoadTest} running
 */
function showProgress(element, running) {
  const bar = /** @type {HTMLProgressElement} */ (element.querySelector('progress'));
  const text = /** @type {HTMLElement} */ (element.querySelector('p'));
  const changes = describeChanges(running);
  if (changes) bar.removeAttribute('value');
  else bar.value = running.progress;
  const leftS = Math.ceil(running.leftMs / 1000);
  text.textContent = changes ? `running; ${changes}` : `running with a pool of ${running.poolSize}, about ${leftS} s left`;
}
