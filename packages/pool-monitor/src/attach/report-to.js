/**
 * Tells another process about this one. An error is nobody's concern: that process may have ended.
 *
 * @param {string} url
 * @param {object} facts
 */
export function reportTo(url, facts) {
  const body = JSON.stringify(facts);
  const outgoing = process.getBuiltinModule('node:http').request(url, {
    method: 'POST', agent: false, headers: { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) },
  });
  outgoing.on('error', () => {});
  outgoing.on('response', (response) => response.resume());
  outgoing.on('socket', (socket) => socket.unref());
  outgoing.end(body);
}
