/** The last action of any form. */
let lastAction = Promise.resolve('');

/**
 * Runs a form's action and shows its outcome. A form takes no second action meanwhile. Actions of other forms queue
 * up: whoever sets 3 lanes and then starts a load test wants it to run on 3 lanes. Disabled buttons can still be
 * focused, so that keyboard users keep their place.
 * @param {HTMLElement} form
 * @param {() => Promise<string>} action resolves with the text to show
 */
export async function runAction(form, action) {
  if (form.hasAttribute('aria-busy')) return;
  const outcome = /** @type {HTMLElement} */ (form.querySelector('.outcome'));
  const buttons = [...form.querySelectorAll('button')];
  form.setAttribute('aria-busy', 'true');
  for (const button of buttons) setDisabled(button, true);
  try {
    const result = lastAction.then(action);
    lastAction = result.catch(() => '');
    outcome.textContent = await result;
    outcome.classList.remove('problem');
  } catch (error) {
    outcome.textContent = error instanceof Error ? error.message : String(error);
    outcome.classList.add('problem');
  } finally {
    form.removeAttribute('aria-busy');
    for (const button of buttons) setDisabled(button, false);
  }
}

/** @param {HTMLButtonElement} button @param {boolean} disabled */
export function setDisabled(button, disabled) {
  if (disabled) button.setAttribute('aria-disabled', 'true');
  else button.removeAttribute('aria-disabled');
}
