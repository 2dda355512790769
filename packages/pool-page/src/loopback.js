const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]', '::1']);

/** @param {string} host */
export function isLoopback(host) {
  return LOOPBACK.has(host);
}

/**
 * Whether a request names this machine as its host. Another site can point its own name to loopback (DNS rebinding),
 * but then the browser sends that name.
 *
 * @param {string | undefined} host the header Host
 */
export function namesLoopback(host = '') {
  return isLoopback(host.replace(/:\d+$/, '').toLowerCase());
}
