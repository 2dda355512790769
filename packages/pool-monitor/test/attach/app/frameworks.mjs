// @ts-nocheck The libraries are not dependencies of the project.
// Serves the same routes with several frameworks, asks for them, and writes what the monitor calls them. argv: the
// folder of the monitor's source.
import { once } from 'node:events';
import http from 'node:http';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const source = pathToFileURL(`${process.argv[2]}/`);
const { followRequests } = await import(new URL('attach/follow-requests.js', source).href);
const { Checkouts, createRequests } = await import(new URL('index.js', source).href);
const requests = createRequests(new Checkouts());
followRequests(requests, {
  guard: (work) => work,
  isOwn: () => false,
  shortRoutes: false,
});
/** Imported, as the others are required. */
const IMPORTED = 'koa';
const require = createRequire(import.meta.url);

const QUERY = JSON.stringify({ query: 'query GetUser($id: ID!) { user(id: $id) { name } }' });
/** Must not be mistaken for the request's. */
const ANSWER = { query: 'query Answer { a }' };

/** @param {string} name */
async function serveFastify(name) {
  const app = require(name)();
  app.get('/users/:name', async () => 'x');
  app.register(async (mail) => mail.get('/:to', async () => 'x'), { prefix: '/mail' });
  app.post('/graphql', async () => ANSWER);
  await app.listen({ port: 0, host: '127.0.0.1' });
  return app.server.address().port;
}

/** @type {Record<string, () => Promise<number>>} */
const SHAPES = {
  async koa() {
    const Koa = (await import(IMPORTED)).default;
    const { Router } = require('@koa/router');
    const router = new Router();
    router.get('/users/:name', (ctx) => (ctx.body = 'x'));
    router.post('/graphql', (ctx) => (ctx.body = ANSWER));
    const mail = new Router({ prefix: '/mail' });
    mail.get('/:to', (ctx) => (ctx.body = 'x'));
    const app = new Koa();
    app.use(async (ctx, next) => {
      let body = '';
      for await (const chunk of ctx.req) body += chunk;
      if (body) ctx.request.body = JSON.parse(body);
      await next();
    });
    app.use(router.routes()).use(mail.routes());
    const server = http.createServer(app.callback()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return server.address().port;
  },
  async hapi() {
    const server = require('@hapi/hapi').server({ port: 0, host: '127.0.0.1' });
    for (const path of ['/users/{name}', '/mail/{to}']) server.route({ method: 'GET', path, handler: () => 'x' });
    server.route({ method: 'POST', path: '/graphql', handler: () => ANSWER });
    await server.start();
    return server.info.port;
  },
  fastify3: () => serveFastify('fastify3'),
  fastify4: () => serveFastify('fastify4'),
  fastify5: () => serveFastify('fastify'),
};

/** @type {Record<string, string[]>} */
const names = {};
for (const [shape, serve] of Object.entries(SHAPES)) {
  const after = requests.log.lastId;
  const url = `http://127.0.0.1:${await serve()}`;
  const post = { method: 'POST', body: QUERY, headers: { 'Content-Type': 'application/json' } };
  for (const path of ['/users/alice', '/mail/bob@example.com', '/alice/nobody']) await (await fetch(url + path)).text();
  await (await fetch(`${url}/graphql`, post)).text();
  // The end of a response can come later than its last byte.
  while (requests.log.lastId < after + 4) await new Promise((resolve) => setTimeout(resolve, 5));
  names[shape] = requests.log.list({ after }).map(({ route }) => route);
}
process.stdout.write(JSON.stringify(names), () => process.exit());
