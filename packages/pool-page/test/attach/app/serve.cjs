// @ts-nocheck Any library may be behind this.
// The app: it does what its control routes say, in requests to itself and outside requests, and says what it counted.
const { EventEmitter, on } = require('node:events');
const http = require('node:http');
const { createClients } = require('./clients.cjs');
const { follow, hold, operate } = require('./operations.cjs');

/** More than the pools have, one after the other, and in between. */
const CALLERS = [2, 60, 10];

/** @param {any[]} libraries */
exports.serve = async (libraries) => {
  const { lazy: clients, connectMore } = createClients(libraries);
  let isComplete = false;
  const agent = new http.Agent({ keepAlive: true });
  const orders = new EventEmitter();
  const outcomes = {};

  /** Runs in no request, as it started before the first. */
  const workInBackground = async () => {
    for await (const [{ operations, done }] of on(orders, 'work')) {
      if (!isComplete) clients.push(...(await connectMore()));
      isComplete = true;
      let n = 0;
      for (const [phase, callers] of CALLERS.entries()) {
        const last = Math.round((operations * (phase + 1)) / CALLERS.length);
        await Promise.all(
          Array.from({ length: callers }, async () => {
            while (n < last) await workOnce(n++);
          }),
        );
      }
      done();
    }
  };
  /** @param {number} n */
  const work = (n) => operate(clients[Math.floor(n / 10) % clients.length], n);
  /** @param {number} n */
  const workOnce = async (n) => {
    const outcome = n % 3 === 0 ? await get(`/orders/${n}`) : await work(n);
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  };
  /** @param {string} path */
  const get = (path) =>
    new Promise((resolve, reject) => {
      http
        .get({ port: server.address().port, path, agent }, (response) => {
          let body = '';
          response
            .setEncoding('utf8')
            .on('data', (chunk) => {
              body += chunk;
            })
            .on('end', () => resolve(body));
        })
        .on('error', reject);
    });

  const routes = {
    orders: (n) => work(Number(n)),
    work: async (operations) => {
      await new Promise((done) => {
        orders.emit('work', { operations: Number(operations), done });
      });
      return outcomes;
    },
    hold: (extra) => {
      for (const client of clients) for (let n = 0; n < client.max + Number(extra); n++) hold(client);
    },
    follow: () => clients.forEach(follow),
    clients: () => clients.map(({ appName, max, counts, holding }) => ({ appName, max, counts, holding })),
    pid: () => process.pid,
    spans: () => globalThis.countSpans?.() ?? 0,
    end: async () => {
      for (const { client } of clients) await client.close();
      server.close();
      agent.destroy();
      orders.removeAllListeners();
      process.disconnect?.();
    },
  };
  const server = http.createServer(async (request, response) => {
    const [, route, argument] = request.url.split('/');
    // So that the app can end.
    if (route === 'end') response.setHeader('connection', 'close');
    try {
      const answer = await routes[route](argument);
      response.end(typeof answer === 'string' ? answer : JSON.stringify(answer ?? null));
    } catch (error) {
      response.writeHead(500).end(error.stack);
    }
  });
  // Longer than any pause of a busy machine: a request on a connection that the server closes would fail.
  server.keepAliveTimeout = 120_000;
  workInBackground();
  server.listen({ port: 0, host: '127.0.0.1', exclusive: true }, () => {
    process.stdout.write(`listening ${server.address().port}\n`);
  });
};
