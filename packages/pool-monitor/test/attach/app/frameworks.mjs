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
const require = createRequire(import.meta.url);

const QUERY = JSON.stringify({ query: 'query GetUser($id: ID!) { user(id: $id) { name } }' });
/** Must not be mistaken for the request's. */
const ANSWER = { query: 'query Answer { a }' };

/** @param {http.RequestListener} listener @param {(server: http.Server) => unknown} [change] */
async function serve(listener, change) {
  const server = http.createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  change?.(server);
  return server.address().port;
}

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
    const Koa = (await import('koa')).default;
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
    return serve(app.callback());
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
  hono: async () => serveHono(await import('hono')),
  async honoWithSockets() {
    const { Server } = await import('socket.io');
    // Another copy of it.
    return serveHono(require('hono'), (server) => new Server(server));
  },
};

/** @param {any} library @param {(server: http.Server) => unknown} [change] */
async function serveHono({ Hono }, change) {
  const { getRequestListener } = await import('@hono/node-server');
  const app = new Hono();
  app.use('*', (context, next) => next());
  app.get('/users/:name', (context) => context.text(context.req.param('name')));
  app.route(
    '/mail',
    new Hono().get('/:to', (context) => context.text(context.req.param('to'))),
  );
  app.post('/graphql', (context) => context.json(ANSWER));
  return serve(
    getRequestListener((...args) => app.fetch(...args)),
    change,
  );
}

/** @param {string} library */
function createRouter(library) {
  const { router, procedure } = require(library).initTRPC.create();
  const find = procedure.query(() => 'x');
  const save = procedure.mutation(() => 'x');
  return router({ user: router({ byName: find, save }), posts: find });
}

/** With tRPC at each path. @type {Record<string, { at: string, start: () => Promise<number> }>} */
const TRPC = {
  standalone: {
    at: '',
    start: async () => {
      const { createHTTPHandler } = await import('@trpc/server/adapters/standalone');
      return serve(createHTTPHandler({ router: createRouter('@trpc/server') }));
    },
  },
  express: {
    at: '/api/trpc',
    start: async () => {
      const { createExpressMiddleware } = await import('@trpc/server/adapters/express');
      return serve(
        require('express')().use('/api/trpc', createExpressMiddleware({ router: createRouter('@trpc/server') })),
      );
    },
  },
  express10: {
    at: '/api/trpc',
    start: async () => {
      const { createExpressMiddleware } = await import('trpc10/adapters/express');
      return serve(require('express4')().use('/api/trpc', createExpressMiddleware({ router: createRouter('trpc10') })));
    },
  },
  fastify: {
    at: '/rpc',
    start: async () => {
      const { fastifyTRPCPlugin } = await import('@trpc/server/adapters/fastify');
      const app = require('fastify')();
      app.register(fastifyTRPCPlugin, { prefix: '/rpc', trpcOptions: { router: createRouter('@trpc/server') } });
      await app.listen({ port: 0, host: '127.0.0.1' });
      return app.server.address().port;
    },
  },
  hono: {
    at: '/rpc',
    start: async () => {
      const { Hono } = await import('hono');
      const hono = await import('@hono/node-server');
      const { fetchRequestHandler } = await import('@trpc/server/adapters/fetch');
      const router = createRouter('@trpc/server');
      const app = new Hono();
      app.all('/rpc/*', ({ req }) => fetchRequestHandler({ endpoint: '/rpc', req: req.raw, router }));
      const server = hono.serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' });
      await once(server, 'listening');
      return server.address().port;
    },
  },
};

const POST = { method: 'POST', headers: { 'Content-Type': 'application/json' } };

/** @param {number} port @param {[path: string, options?: RequestInit][]} asked @returns {Promise<string[]>} names */
async function ask(port, asked) {
  const after = requests.log.lastId;
  for (const [path, options] of asked) await (await fetch(`http://127.0.0.1:${port}${path}`, options)).text();
  // The end of a response can come later than its last byte.
  while (requests.log.lastId < after + asked.length) await new Promise((resolve) => setTimeout(resolve, 5));
  return requests.log.list({ after }).map(({ route }) => route);
}

/** Says hello to a socket, first without a WebSocket. */
async function askSocket() {
  const { Server } = await import('socket.io');
  const { io } = await import('socket.io-client');
  const after = requests.log.lastId;
  const server = http.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const sockets = new Server(server);
  sockets.on('connection', (socket) => socket.on('hello', (answer) => answer()));
  const client = io(`http://127.0.0.1:${server.address().port}`);
  await client.emitWithAck('hello');
  client.disconnect();
  await sockets.close();
  return [...new Set(requests.log.list({ after }).map(({ route }) => route))].toSorted();
}

/** @type {Record<string, string[]>} */
const names = {};
for (const [shape, start] of Object.entries(SHAPES))
  names[shape] = await ask(await start(), [
    ...['/users/alice', '/mail/bob@example.com', '/alice/nobody'].map((path) => [path]),
    ['/graphql', { ...POST, body: QUERY }],
  ]);
for (const [shape, { at, start }] of Object.entries(TRPC))
  names[`tRPC, ${shape}`] = await ask(await start(), [
    [`${at}/user.byName`],
    [`${at}/user.save`, { ...POST, body: '{}' }],
    [`${at}/user.byName,posts?batch=1&input={}`],
    [`${at}/user.nobody`],
    [`${at}/user.byName,user.nobody?batch=1&input={}`],
    [`${at}/user.somebody,user.nobody?batch=1`],
  ]);
names['socket.io'] = await askSocket();
process.stdout.write(JSON.stringify(names), () => process.exit());
