import { expect, test } from '@jest/globals';
import { startSecuredMongod } from '../support/secured-mongod.js';
import { serveApp } from '../support/serve-app.js';

/** A query that included one of these would take it as an operator or as code. */
const OPERATORS = [
  { $ne: null },
  { $gt: '' },
  { $where: 'sleep(10000) || true' },
  { $regex: '.*' },
  { $function: { body: 'f' } },
];
const GETS = ['/fast', '/slow', '/pool', '/pool/checkouts', '/readyz', '/livez'];
const NAMES = 'email after filter slowMs poolSize route $where email[$ne] after[$gt] slowMs.$gt'.split(' ');
const CONTROLS = ['slow-ms', 'pool-size', 'traffic', 'token'];

const mongod = await startSecuredMongod();
const url = await serveApp({ MONGO_URL: mongod.urlOf(), SLOW_MS: '1' });

test("whatever a client sends, the server only sees the app's own queries", async () => {
  const database = mongod.root.db('pool_lab');
  await database.command({ profile: 2 });

  for (const operator of OPERATORS) {
    const text = JSON.stringify(operator);
    await Promise.all(
      GETS.flatMap((path) =>
        NAMES.map(async (name) => {
          const headers = { 'X-Filter': text, Cookie: `email=${text}` };
          const { status } = await fetch(`${url}${path}?${encodeURIComponent(name)}=${encodeURIComponent(text)}`, {
            headers,
          });
          expect(status).toBe(path === '/pool/checkouts' && name === 'after' ? 400 : 200);
        }),
      ),
    );
    await Promise.all(
      CONTROLS.map(async (control) => {
        const response = await fetch(`${url}/control/${control}`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', Origin: url },
          body: JSON.stringify({
            slowMs: operator,
            poolSize: operator,
            route: operator,
            count: operator,
            email: operator,
          }),
        });
        expect(response.status).toBe(control === 'token' ? 200 : 400);
      }),
    );
  }

  await database.command({ profile: 0 });
  const profile = await database.collection('system.profile').find({ ns: 'pool_lab.customers' }).toArray();
  expect(profile).toHaveLength(OPERATORS.length * NAMES.length);
  const isPlain = (/** @type {import('mongodb').Document} */ { op, command: { find, filter } }) =>
    op === 'query' &&
    find === 'customers' &&
    Object.keys(filter).join() === 'email' &&
    /^customer-\d+@example\.com$/.test(filter.email);
  expect(profile.filter((entry) => !isPlain(entry))).toEqual([]);
  expect(await (await fetch(`${url}/slow`)).json()).toEqual({ query: 'slow', serverMs: 1 });
  expect(await (await fetch(`${url}/pool`)).json()).toMatchObject({ max: 100 });
});
