/**
 * Requests that the app sends to itself on behalf of the page: a browser opens only six connections to a host, so the
 * seventh vehicle would wait in the browser and not for the pool.
 *
 * @param {() => string} ownUrl
 * @param {import('pino').Logger} log
 */
export function createTraffic(ownUrl, log) {
  return {
    /**
     * @param {string} route
     * @param {number} count how many at once
     */
    send(route, count) {
      for (let sent = 0; sent < count; sent++) {
        fetch(`${ownUrl()}${route}`).then((response) => response.arrayBuffer()).catch((error) => {
          log.warn({ err: error, route }, 'a request of the page failed');
        });
      }
    },
  };
}
