// What the three apps share: says where the app listens, and replies to each message with the processor time and the
// number of requests so far, after it has collected its garbage on 'collect'. Ends with the parent process.

/** @param {import('node:http').Server} server */
export function reportUsage(server) {
  let requests = 0;
  // While it is another one's turn, the connections stay open.
  server.keepAliveTimeout = 60_000;
  server.on('request', () => {
    requests += 1;
  });
  process.on('message', (message) => {
    if (message === 'collect') globalThis.gc?.();
    const { user, system } = process.cpuUsage();
    process.send?.({ requests, cpuUs: user + system, atMs: performance.now() });
  });
  process.once('disconnect', () => process.exit());
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  process.send?.({ url: `http://127.0.0.1:${port}` });
}
