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

/**
 * @param {string} path
 * @param {object} body
 * @param {string} [token] for the controls, where they need one
 * @returns {Promise<any>} the response body
 * @throws {Error} with a message for people, from the app where it sends one
 */
export async function post(path, body, token = readToken()) {
  let response;
  try {
    response = await fetch(path, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: {
        'content-type': 'application/json',
        ...(token && { authorization: `Bearer ${encodeURIComponent(token)}` }),
      },
    });
  } catch (cause) {
    throw new Error('The app is not responding.', { cause });
  }
  // The app may have restarted with another token.
  if (response.status === 401) saveToken('');
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(answer.detail ?? answer.title ?? `The app answered ${response.status}.`);
  return answer;
}

/** Takes the token from the app's link. It follows the #, which browsers do not send. */
export function watchLink() {
  const take = () => {
    const token = new URLSearchParams(location.hash.slice(1)).get('token');
    if (token) saveToken(token);
  };
  addEventListener('hashchange', take);
  take();
}

/** @returns {string} empty while there is none */
export function readToken() {
  return history.state?.token ?? '';
}

/**
 * The token lives in this tab's history entry: it survives a reload, and the address bar does not show it.
 * @param {string} token empty to forget it
 */
export function saveToken(token) {
  history.replaceState({ token }, '', location.pathname);
}
