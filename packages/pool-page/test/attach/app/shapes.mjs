// @ts-nocheck The libraries are not dependencies of the project.
// Serves /users/:id as several frameworks do. Each request makes two queries at once over one connection: the second
// waits for as long as the first one takes. argv: the shape.
import { tracingChannel } from 'node:diagnostics_channel';
import { once } from 'node:events';
import http from 'node:http';
import { createRequire } from 'node:module';
import { MongoClient } from 'mongodb';

const require = createRequire(import.meta.url);
const client = new MongoClient(process.env.MONGO_URL, { maxPoolSize: 1, minPoolSize: 1, appName: 'shop' });
const users = client.db('shapes').collection('users');
const find = () => Promise.all([users.findOne({}), users.findOne({})]);
const work = tracingChannel('mongodb-pool-monitor:work');

/** @param {string} name */
async function serveFastify(name) {
  const app = require(name)();
  app.get('/users/:id', find);
  await app.listen({ port: 0, host: '127.0.0.1' });
  return app.server.address().port;
}

/** @param {http.RequestListener} listener */
async function serve(listener) {
  const server = http.createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server.address().port;
}

/** @type {Record<string, () => Promise<number>>} */
const SHAPES = {
  koa() {
    const Koa = require('koa').default ?? require('koa');
    const { Router } = require('@koa/router');
    const router = new Router();
    router.get('/users/:id', async (ctx) => (ctx.body = await find()));
    return serve(new Koa().use(router.routes()).callback());
  },
  async hapi() {
    const server = require('@hapi/hapi').server({ port: 0, host: '127.0.0.1' });
    server.route({ method: 'GET', path: '/users/{id}', handler: find });
    await server.start();
    return server.info.port;
  },
  fastify3: () => serveFastify('fastify3'),
  fastify4: () => serveFastify('fastify4'),
  fastify5: () => serveFastify('fastify'),
  async nest() {
    require('reflect-metadata');
    const { Controller, Get, Module } = await import('@nestjs/common');
    const { NestFactory } = await import('@nestjs/core');
    class UsersController {
      find() {
        return find();
      }
    }
    // What the decorators of TypeScript do.
    const method = Object.getOwnPropertyDescriptor(UsersController.prototype, 'find');
    Get(':id')(UsersController.prototype, 'find', method);
    Controller('users')(UsersController);
    class AppModule {}
    Module({ controllers: [UsersController] })(AppModule);
    const app = await NestFactory.create(AppModule, { logger: false });
    await app.listen(0, '127.0.0.1');
    return app.getHttpServer().address().port;
  },
  async apollo() {
    const { ApolloServer } = await import('@apollo/server');
    const { startStandaloneServer } = await import('@apollo/server/standalone');
    const typeDefs = 'type Query { user: String }';
    const server = new ApolloServer({ typeDefs, resolvers: { Query: { user: async () => String(await find()) } } });
    const { url } = await startStandaloneServer(server, { listen: { port: 0, host: '127.0.0.1' } });
    return new URL(url).port;
  },
  async trpc() {
    const { initTRPC } = await import('@trpc/server');
    const { createHTTPHandler } = await import('@trpc/server/adapters/standalone');
    const { router, procedure } = initTRPC.create();
    return serve(
      createHTTPHandler({ basePath: '/api/trpc/', router: router({ user: router({ list: procedure.query(find) }) }) }),
    );
  },
  async hono() {
    const { Hono } = await import('hono');
    const { serve: serveHono } = await import('@hono/node-server');
    const app = new Hono().get('/users/:id', async (context) => {
      await find();
      return context.text(context.req.param('id'));
    });
    const server = serveHono({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' });
    await once(server, 'listening');
    return server.address().port;
  },
  async socketio() {
    const { Server } = await import('socket.io');
    const { io } = await import('socket.io-client');
    const server = http.createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address();
    new Server(server).on('connection', (socket) => {
      socket.use(([event], next) => work.traceSync(next, { name: `event ${event}` }));
      socket.on('order', async (answer) => {
        await find();
        answer();
      });
    });
    const client = io(`http://127.0.0.1:${port}`);
    const order = async () => {
      await client.emitWithAck('order');
      setImmediate(order);
    };
    order();
    return port;
  },
  agenda: () => startAgenda('report', find),
  namedAgenda: () => startAgenda('mail', (job) => work.tracePromise(find, { name: `job ${job.attrs.name}` })),
};

/** @param {string} name one for each app, because all share a database @param {(job: any) => Promise<unknown>} job */
async function startAgenda(name, job) {
  const { Agenda } = require('agenda');
  const agenda = new Agenda({ db: { address: `${process.env.MONGO_URL}/shapes` }, processEvery: '1 second' });
  agenda.define(name, job);
  await agenda.start();
  await agenda.every('1 second', name);
  return 0;
}

process.stdout.write(`listening ${await SHAPES[process.argv[2]]()}\n`);
