/**
 * Requests that the app sends to itself for the page. A browser opens at most six connections per host, so the seventh
 * vehicle would wait in the browser instead of the pool.
 *
 * @param {() => string} ownUrl
 * @param {import('pino').Logger} log
 */
export function createTraffic(ownUrl, log) {
  return (/** @type {string} */ route, /** @type {number} sent at once */ count) => {
    for (let sent = 0; sent < count; sent++) {
      fetch(`${ownUrl()}${route}`)
        .then((response) => response.arrayBuffer())
        .catch((error) => log.warn({ err: error, route }, 'a request of the page failed'));
    }
  };
}
