/** What was ordered last, of any form. */
let lastOrder = Promise.resolve('');

/**
 * While an order is on its way its form takes no other, and those of other forms follow in turn: who asks for
 * 3 lanes and then for a load test wants it on 3 lanes. Buttons stay focusable, so that the keyboard does not
 * lose its place.
 * @param {HTMLElement} form
 * @param {() => Promise<string>} action resolves with what to say
 */
export async function attempt(form, action) {
  if (form.hasAttribute('aria-busy')) return;
  const outcome = /** @type {HTMLElement} */ (form.querySelector('.outcome'));
  const buttons = [...form.querySelectorAll('button')];
  form.setAttribute('aria-busy', 'true');
  for (const button of buttons) setDisabled(button, true);
  try {
    const order = lastOrder.then(action);
    lastOrder = order.catch(() => '');
    outcome.textContent = await order;
    outcome.classList.remove('problem');
  } catch (error) {
    outcome.textContent = error instanceof Error ? error.message : String(error);
    outcome.classList.add('problem');
  } finally {
    form.removeAttribute('aria-busy');
    for (const button of buttons) setDisabled(button, false);
  }
}

/**
 * @param {HTMLButtonElement} button
 * @param {boolean} disabled
 */
export function setDisabled(button, disabled) {
  if (disabled) button.setAttribute('aria-disabled', 'true');
  else button.removeAttribute('aria-disabled');
}
