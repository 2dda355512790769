/** Whoever opens the app's link brings its token along, behind the # that browsers keep to themselves. */
export function watchLink() {
  const take = () => {
    const token = new URLSearchParams(location.hash.slice(1)).get('token');
    if (token) keepToken(token);
  };
  addEventListener('hashchange', take);
  take();
}

/** @returns {string} empty while there is none */
export function readToken() {
  return history.state?.token ?? '';
}

/**
 * It stays with this entry of the tab's history: a reload keeps it, and the address bar does not show it.
 * @param {string} token empty to forget it
 */
export function keepToken(token) {
  history.replaceState({ token }, '', location.pathname);
}
