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
      method: 'POST', body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${encodeURIComponent(token)}` }) },
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
