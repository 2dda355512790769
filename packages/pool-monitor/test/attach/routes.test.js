import { describe, expect, test } from '@jest/globals';
import { KnownRoutes } from '../../src/attach/known-routes.js';
import { foldIds, nameRoute, readExpressPattern } from '../../src/attach/name-routes.js';
import { Operations } from '../../src/attach/operations.js';

describe('known routes', () => {
  /**
   * @typedef {{ statusCode?: number, headersSent?: boolean, destroyed?: boolean }} Answer by default it has ended well
   */

  /** @param {object} request @param {Answer} [answer] */
  function responseTo(request, { statusCode = 200, headersSent = true, destroyed = false } = {}) {
    return /** @type {any} */ ({ req: { method: 'GET', ...request }, statusCode, headersSent, destroyed });
  }

  /** @param {KnownRoutes} routes @param {string} url @param {Answer} [answer] */
  function nameOf(routes, url, answer) {
    return routes.name(responseTo({ url }, answer));
  }

  test.each(['*', '/*', '(.*)', '/{*splat}', '/:path(.*)', '/{*path}'])(
    'a route %s, which matches everything, is called by the folded path',
    (path) => {
      const request = { url: '/users/42', baseUrl: '', route: { path } };
      expect(new KnownRoutes().name(responseTo(request))).toBe('/users/:id');
    },
  );

  test('a path that no route matches and that ends in 404 takes no name from the others', () => {
    const routes = new KnownRoutes();
    const paths = Array.from({ length: 2000 }, (_, index) => `/bot-${letters(index)}`);
    expect(new Set(paths.map((path) => nameOf(routes, path, { statusCode: 404 })))).toEqual(new Set(['(not found)']));
    // Before the status is known, its name is not final.
    expect(nameOf(routes, '/bot-x', { statusCode: 200, headersSent: false })).toBe('/bot-x');
    expect(nameOf(routes, '/users')).toBe('/users');
    // An app without a framework: the route exists, what it was asked for does not.
    expect(nameOf(routes, '/users', { statusCode: 404 })).toBe('/users');
  });

  test('paths that no route matches leave the routes of the framework their place', () => {
    const routes = new KnownRoutes();
    for (let index = 0; index < 2000; index += 1) {
      nameOf(routes, `/page-${letters(index)}`);
      nameOf(routes, `/left-${letters(index)}`, { headersSent: false, destroyed: true });
    }
    expect(nameOf(routes, '/new')).toBe('(other routes)');
    const matched = (/** @type {string} */ path) =>
      routes.name(responseTo({ url: '/x', baseUrl: '', route: { path } }));
    expect(matched('/users/:id')).toBe('/users/:id');
    for (let index = 0; index < 500; index += 1) matched(`/route-${index}`);
    expect(matched('/last')).toBe('(other routes)');
    expect(matched('/users/:id')).toBe('/users/:id');
  });

  const GRAPHQL = { method: 'POST', url: '/graphql' };

  test('each operation of GraphQL is a route, in the body of any framework', () => {
    const routes = new KnownRoutes();
    const nameWith = (/** @type {object} */ body) => routes.name(responseTo({ ...GRAPHQL, body }));
    expect(nameWith({ query: 'query GetUser($id: ID!) { user(id: $id) { name } }' })).toBe('POST /graphql GetUser');
    expect(nameWith({ operationName: 'B', query: 'query A { a } query B { b }' })).toBe('POST /graphql B');
    // A persisted query has no text.
    expect(nameWith({ operationName: 'Kept', extensions: {} })).toBe('POST /graphql Kept');
    expect(nameWith({ query: '{ a }' })).toBe('POST /graphql');
    expect(nameWith({ operationName: '<b>', query: '{ a }' })).toBe('POST /graphql');
    expect(routes.name(responseTo({ ...GRAPHQL, url: '/search', body: { operationName: 'A', query: 'alice' } }))).toBe(
      'POST /search',
    );
  });

  test('operations that clients make up end as the route itself', () => {
    const routes = new KnownRoutes();
    for (let index = 0; index < 2000; index += 1)
      routes.name(responseTo({ ...GRAPHQL, body: { operationName: `Bot${letters(index)}` } }));
    expect(routes.name(responseTo({ ...GRAPHQL, body: { operationName: 'Late' } }))).toBe('POST /graphql');
  });

  describe('tRPC', () => {
    const TWO = '/api/trpc/user.byId,post.list?batch=1&input=x';
    const HEADER = { _header: 'HTTP/1.1 200 OK\r\nVary: Origin, trpc-accept, accept\r\n\r\n' };
    /** @param {KnownRoutes} routes @param {object} request @param {Answer} [answer] */
    const nameOfCall = (routes, request, answer) => routes.name({ ...responseTo(request, answer), ...HEADER });

    test('procedures name a request, whatever the order, the input and the adapter', () => {
      const routes = new KnownRoutes();
      expect(nameOf(routes, '/api/trpc/user.byId?input=%7B%7D')).toBe('/api/trpc/user.byId');
      expect(nameOf(routes, TWO)).toBe('/api/trpc/post.list,user.byId');
      expect(nameOf(routes, '/api/trpc/post.list,user.byId,post.list?batch=1')).toBe('/api/trpc/post.list,user.byId');
      expect(nameOf(routes, '/api/trpc/e,d,c,b,a?batch=1')).toBe('/api/trpc/a,b,c and 2 more');
      expect(routes.name(responseTo({ method: 'POST', url: '/trpc/a.b', route: { path: '/trpc/:path' } }))).toBe(
        'POST /trpc/a.b',
      );
      expect(nameOf(routes, '/api/trpc/bob@example.com')).toBe('/api/trpc/:id');
    });

    test('they do so at any path, once the answer says that it is tRPC', () => {
      const routes = new KnownRoutes();
      const request = { url: '/user.byId?input=7' };
      expect(nameOfCall(routes, request, { headersSent: false })).toBe('/:id');
      expect(nameOfCall(routes, request)).toBe('/user.byId');
      expect(nameOf(routes, request.url)).toBe('/:id');
    });

    test('names that clients make up leave real procedures their place', () => {
      const routes = new KnownRoutes();
      for (let index = 0; index < 2000; index += 1) {
        const url = `/api/trpc/bot.${letters(index)}`;
        expect(nameOf(routes, url, { statusCode: 404 })).toBe('(not found)');
        // A batch of which some failed, or without the input that it needs.
        for (const statusCode of [207, 400])
          expect(nameOf(routes, `${url},user.byId?batch=1`, { statusCode })).toBe('/api/trpc/:id');
      }
      expect(nameOf(routes, TWO)).toBe('/api/trpc/post.list,user.byId');
      // Once it is known, it keeps its name, whatever becomes of it.
      expect([404, 207, 500].map((statusCode) => nameOf(routes, TWO, { statusCode }))).toEqual(
        Array(3).fill('/api/trpc/post.list,user.byId'),
      );
      for (let index = 0; index < 300; index += 1) nameOf(routes, `/api/trpc/bot.${letters(index)}`);
      expect(nameOf(routes, '/api/trpc/last')).toBe('(other routes)');
      expect(new KnownRoutes({ isShort: true }).name(responseTo({ url: TWO }))).toBe('/api');
    });
  });

  test('short names have the method and the first segment, and nothing else', () => {
    const routes = new KnownRoutes({ isShort: true });
    expect(routes.name(responseTo({ url: '/x', baseUrl: '/api', route: { path: '/users/:id' } }))).toBe('/api');
    expect(nameOf(routes, '/users/alice')).toBe('/users');
    expect(nameOf(routes, '/users/alice', { headersSent: false })).toBe('/users');
    expect(nameOf(routes, '/')).toBe('/');
    expect(routes.name(responseTo({ ...GRAPHQL, body: { operationName: 'A' } }))).toBe('POST /graphql');
  });

  /** A name without digits. @param {number} index */
  function letters(index) {
    return [...String(index)].map((digit) => 'abcdefghij'[Number(digit)]).join('');
  }
});

describe('names of routes', () => {
  test.each([
    ['/', '/'],
    ['/users', '/users'],
    ['/users/42?full=1', '/users/:id'],
    ['/users/507f1f77bcf86cd799439011/orders/7#top', '/users/:id/orders/:id'],
    ['/files/3f2504e0-4f89-11d3-9a0c-0305e82c3301', '/files/:id'],
    ['/sessions/dXNlcjE6cGFzc3dvcmQx', '/sessions/:id'],
    ['/v2/user-preferences-overview', '/v2/:id'],
    ['/v2/user-settings', '/v2/user-settings'],
    ['/mail/bob@example.com', '/mail/:id'],
    ['/mail/bob%40example', '/mail/:id'],
    ['/verify/a8Kd92LmQx7', '/verify/:id'],
    ['/verify/aKx7', '/verify/:id'],
    ['/reset/eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.x-y_z', '/reset/:id'],
    ['/orders/2024-10-01', '/orders/:id'],
    ['/orders/order1234/getItems', '/orders/:id/getItems'],
    ['/favicon.ico', '/:id'],
    ['/socket.io/?EIO=4&transport=polling&sid=Zk3j', '/socket.io/'],
    ['/chat/engine.io/', '/chat/engine.io/'],
    ['/bob.io/', '/:id/'],
    ['/oauth2/login/', '/oauth2/login/'],
    ['/orders/2026', '/orders/:id'],
    ['*', '*'],
    ['?x', '/'],
  ])('%s is a request of %s', (url, route) => {
    expect(foldIds(url)).toBe(route);
  });

  test('a route has its method, unless it is the usual one', () => {
    expect(['GET', 'HEAD', 'POST'].map((method) => nameRoute(method, '/a'))).toEqual(['/a', '/a', 'POST /a']);
  });

  test.each([
    [{ baseUrl: '/api', route: { path: '/users/:id' } }, '/api/users/:id'],
    [{ baseUrl: '/api', route: { path: '/' } }, '/api'],
    [{ baseUrl: '', route: { path: '/' } }, '/'],
    [{ baseUrl: '', route: { path: /^\/a/ } }, undefined],
    [{ baseUrl: '' }, undefined],
  ])('Express %j', (request, pattern) => {
    expect(readExpressPattern(request)).toBe(pattern);
  });
});

describe('operations', () => {
  /** @typedef {(...args: any[]) => unknown} Command */

  /** @param {Command} command of its server */
  function watchClient(command) {
    class Server {
      /** @param {any[]} args */
      command(...args) {
        return command(...args);
      }
    }
    const server = new Server();
    const operations = new Operations((work) => work);
    operations.watch({ topology: { s: { servers: new Map([['a:1', server]]) } }, s: {} });
    return { server, operations };
  }

  const PIPELINE = { aggregate: 'news', pipeline: [{ $changeStream: {} }], cursor: {} };

  test.each([
    ['the document of driver 6.5', { cursor: { id: 7n } }],
    ['an object of a later driver', { id: 7n, cursor: { get() {} } }],
  ])('a change stream is known by its id, from %s', async (name, answer) => {
    /** @type {unknown[]} */
    const seen = [];
    const { server, operations } = watchClient(async () => {
      seen.push(operations.current);
      return answer;
    });
    await server.command('shop.news', PIPELINE, {});
    await server.command('shop.news', { getMore: 7n, collection: 'news' }, {});
    await server.command('shop.news', { getMore: 8n, collection: 'news' }, {});
    expect(seen).toMatchObject([
      { operation: 'aggregate news', kind: null },
      { operation: 'getMore news', kind: 'changeStream' },
      { operation: 'getMore news', kind: null },
    ]);
    operations.close();
    await server.command('shop.news', PIPELINE, {});
    expect(seen.at(-1)).toBeNull();
  });

  test.each([
    ['distinct orders', { commandName: 'distinct', collection: { collectionName: 'orders' } }],
    ['count orders', { commandName: 'count', collectionName: 'orders' }],
    ['listIndexes orders', { commandName: 'listIndexes', collectionNamespace: { collection: 'orders' } }],
    ['aggregate orders', { commandName: 'aggregate', target: 'orders', ns: undefined }],
    ['aggregate', { commandName: 'aggregate', target: 1 }],
    ['create orders', { commandName: 'create', name: 'orders' }],
    ['find orders', { commandName: 'find', ns: { collection: 'orders' } }],
    ['dbStats', { commandName: 'dbStats' }],
    ['count orders', { commandName: 'runCommand', command: { count: 'orders' } }],
    ['ping', { commandName: 'runCommand', command: { ping: 1 } }],
    ['createUser', { commandName: 'runCommand', command: { createUser: 'bob' } }],
    ['commitTransaction', { commandName: 'runCommand', command: { commitTransaction: 1 } }],
    ['abortTransaction', { commandName: 'runCommand', command: { abortTransaction: 1 } }],
  ])('%s is known, wherever a later driver has it', async (name, operation) => {
    /** @type {unknown[]} */
    const seen = [];
    const { server, operations } = watchClient(async () => void seen.push(operations.current?.operation));
    await server.command({ ns: { collection: '$cmd' }, ...operation }, {});
    expect(seen).toEqual([name]);
  });

  test('a change stream gets the class of its answer, which drivers 6.6 to 6.18 pass, as it is', async () => {
    class CursorResponse {}
    /** @type {unknown[]} */
    const seen = [];
    const { server } = watchClient(async (...args) => void seen.push(args[3]));
    await server.command('shop.news', PIPELINE, {}, CursorResponse);
    expect(seen).toEqual([CursorResponse]);
  });

  test.each([
    ['to driver 5', (/** @type {object} */ session) => ['shop.orders', { update: 'orders' }, { session }]],
    [
      'by driver 7',
      (/** @type {object} */ session) => [{ commandName: 'update', ns: { collection: 'orders' }, session }],
    ],
  ])('a transaction keeps its number, and what failed is noted, as a command is sent %s', async (name, argsOf) => {
    /** @type {any[]} */
    const seen = [];
    const { server, operations } = watchClient(async () => {
      seen.push(operations.current);
      if (seen.length === 2) throw Object.assign(new Error(), { code: 112 });
      if (seen.length === 4) throw Object.assign(new Error(), { code: 11_000 });
    });
    const session = { isActive: true, transaction: {}, inTransaction: () => session.isActive };
    const send = async () => server.command(...argsOf(session));
    await send();
    await expect(send()).rejects.toThrow();
    session.transaction = {};
    await send();
    await expect(send()).rejects.toThrow();
    session.isActive = false;
    await send();
    const common = { operation: 'update orders', kind: null, opens: null };
    expect(seen).toEqual([
      { ...common, transaction: 1, errorCode: undefined },
      { ...common, transaction: 1, errorCode: 112 },
      { ...common, transaction: 2, errorCode: undefined },
      { ...common, transaction: 2, errorCode: 11_000 },
      common,
    ]);
  });
});
