// What the three apps share: says where the app listens, replies to 'usage' with the processor time and the number of requests so
// far, and collects its garbage on 'collect'. Ends with the parent process.

/** @param {import('node:http').Server} server */
export function reportUsage(server) {
  let requests = 0;
  server.on('request', () => { requests += 1; });
  process.on('message', (message) => {
    if (message === 'collect') {
      globalThis.gc?.();
      return;
    }
    const { user, system } = process.cpuUsage();
    process.send?.({ requests, cpuUs: user + system });
  });
  process.once('disconnect', () => process.exit());
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  process.send?.({ url: `http://127.0.0.1:${port}` });
}
