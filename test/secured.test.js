import { describe, expect, test } from '@jest/globals';
import { PASSWORD, startSecuredMongod, TRACES } from './support/secured-mongod.js';
import { createTestLog, serveApp, useControl } from './support/serve-app.js';

const mongod = await startSecuredMongod();
const url = await serveApp({ MONGO_URL: mongod.urlOf(), SLOW_MS: '1' });

describe('a MongoDB with users and TLS', () => {
  test('the app works over TLS, as a user with one database, and never shows the password', async () => {
    const { log, lines } = createTestLog('trace');
    const at = await serveApp({ MONGO_URL: mongod.urlOf(), SLOW_MS: '50', MONGO_POOLSIZE: '1' }, log);
    const said = [];
    const routes = '/ /slow /fast /livez /readyz /pool /pool/checkouts /pool/server /metrics /nowhere'.split(' ');
    for (const route of routes) {
      const response = await fetch(at + route);
      expect({ route, status: response.status }).toEqual({ route, status: route === '/nowhere' ? 404 : 200 });
      said.push(await response.text());
    }

    // A new client can't log in now. That is a server error, and the log has it.
    await mongod.root.db('admin').command({ updateUser: 'lab', pwd: 'another' });
    const refused = await useControl(at, 'pool-size', { poolSize: 2 });
    expect(refused.status).toBe(500);
    said.push(JSON.stringify(refused));
    await mongod.root.db('admin').command({ updateUser: 'lab', pwd: PASSWORD });

    expect(lines.join('')).toContain('Authentication failed');
    expect([...said, ...lines].filter((text) => TRACES.test(text))).toEqual([]);
  });

  describe('a failed start is one line, without the password', () => {
    test.each([
      [
        'a wrong password',
        () => mongod.urlOf({ password: `${PASSWORD}x` }),
        'the server or the driver rejects MONGO_URL or a pool setting: Authentication failed.',
      ],
      [
        'an unknown certificate',
        () => mongod.urlOf({ tls: 'tls=true' }),
        /^MONGO_URL: no MongoDB was found .*certificate/,
      ],
      [
        'no login',
        () => mongod.urlOf().replace(/lab:.*?@/, ''),
        /^MONGO_URL: the server requires a login. Put USER:PASSWORD@ in front of the hosts\.$/,
      ],
      ['no TLS', () => mongod.urlOf({ tls: '' }), /^MONGO_URL: no MongoDB was found/],
      [
        'a password that was not encoded',
        () => mongod.urlOf().replace(/lab:.*?@/, () => `lab:${PASSWORD}@`),
        /^MONGO_URL is not a connection string/,
      ],
    ])('%s', async (_, make, message) => {
      const { log, lines } = createTestLog('trace');
      const settings = { MONGO_URL: make(), MONGO_SERVER_SELECTION_TIMEOUT_MS: '2000' };
      const problem = await serveApp(settings, log).catch(({ message: said }) => said);
      expect(problem.split('\n')).toEqual([expect.stringMatching(message)]);
      expect(problem + lines.join('')).not.toMatch(TRACES);
    });
  });
});

describe('injection', () => {
  /** A query that included one of these would take it as an operator or as code. */
  const OPERATORS = [
    { $ne: null },
    { $gt: '' },
    { $where: 'sleep(10000) || true' },
    { $regex: '.*' },
    { $function: { body: 'f' } },
  ];
  const GETS = ['/fast', '/slow', '/pool', '/pool/checkouts', '/readyz', '/livez'];
  const NAMES = 'email filter slowMs poolSize route $where email[$ne] after[$gt] slowMs.$gt'.split(' ');
  const CONTROLS = ['slow-ms', 'pool-size', 'traffic', 'token'];

  test("whatever a client sends, the server only sees the app's own queries", async () => {
    const database = mongod.root.db('pool_lab');
    await database.command({ profile: 2 });

    for (const operator of OPERATORS) {
      const text = JSON.stringify(operator);
      await Promise.all(
        GETS.flatMap((path) =>
          [['after'], NAMES].map(async (names) => {
            const query = new URLSearchParams(names.map((name) => [name, text]));
            const headers = { 'X-Filter': text, Cookie: `email=${text}` };
            const { status } = await fetch(`${url}${path}?${query}`, { headers });
            expect(status).toBe(path === '/pool/checkouts' && names.includes('after') ? 400 : 200);
          }),
        ),
      );
      await Promise.all(
        CONTROLS.map(async (control) => {
          const response = await useControl(url, control, {
            slowMs: operator,
            poolSize: operator,
            route: operator,
            count: operator,
            email: operator,
          });
          expect(response.status).toBe(control === 'token' ? 200 : 400);
        }),
      );
    }

    await database.command({ profile: 0 });
    const profile = await database.collection('system.profile').find({ ns: 'pool_lab.customers' }).toArray();
    expect(profile).toHaveLength(OPERATORS.length * 2);
    const isPlain = (/** @type {import('mongodb').Document} */ { op, command: { find, filter } }) =>
      op === 'query' &&
      find === 'customers' &&
      Object.keys(filter).join() === 'email' &&
      /^customer-\d+@example\.com$/.test(filter.email);
    expect(profile.filter((entry) => !isPlain(entry))).toEqual([]);
    expect(await (await fetch(`${url}/slow`)).json()).toEqual({ query: 'slow', serverMs: 1 });
    expect(await (await fetch(`${url}/pool`)).json()).toMatchObject({ max: 100 });
  });
});
