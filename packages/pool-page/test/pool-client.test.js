import { expect, test } from '@jest/globals';
import { ask, PoolClient } from '../src/pool-client.js';
import { serveHttp as serve } from 'test-support/network.js';
import { findFreePort } from 'test-support/processes.js';
import { until } from 'test-support/waiting.js';

test('asks for each path of the live view, with the headers given', async () => {
  /** @type {[string | undefined, string | undefined][]} */
  const seen = [];
  const url = await serve((req, res) => {
    seen.push([req.url, req.headers.authorization]);
    const lists = { checkouts: [], requests: [{ id: 8 }], connections: [{ id: 3 }], seconds: [{ id: 4 }] };
    res.end(JSON.stringify({ max: 3, cores: 2, ...lists, lastId: 8, forgotten: 1 }));
  });
  const client = new PoolClient(url, { headers: { Authorization: 'Basic x' } });

  expect(await client.snapshot()).toMatchObject({ max: 3 });
  expect(await client.checkoutsSince(5)).toMatchObject({ checkouts: [], lastId: 8, forgotten: 1 });
  expect(await client.requestsSince(7)).toMatchObject({ requests: [{ id: 8 }] });
  expect(await client.connectionsSince(2)).toMatchObject({ connections: [{ id: 3 }] });
  expect(await client.secondsSince(3)).toMatchObject({ seconds: [{ id: 4 }] });
  expect(await client.serverLoad()).toMatchObject({ cores: 2 });
  expect(seen).toEqual(
    [
      '/pool',
      '/pool/checkouts?after=5',
      '/pool/requests?after=7',
      '/pool/connections?after=2',
      '/pool/seconds?after=3',
      '/pool/server',
    ].map((path) => [path, 'Basic x']),
  );
});

test.each([
  [
    503,
    { title: 'MongoDB is unreachable', detail: 'connect ECONNREFUSED' },
    'answered 503: MongoDB is unreachable: connect ECONNREFUSED',
  ],
  [404, { title: 'Not Found' }, 'answered 404: Not Found'],
  [502, 'Bad Gateway', 'answered 502'],
  [200, null, 'did not answer with a JSON object'],
  [200, { checkouts: [] }, 'did not answer with a list of checkouts'],
])('the status %i with %j is an error that says so', async (status, body, problem) => {
  const url = await serve((req, res) => res.writeHead(status).end(JSON.stringify(body)));
  await expect(new PoolClient(url).checkoutsSince(0)).rejects.toThrow(
    new RegExp(`^${url}: GET /pool/checkouts(\\?after=0)? ${problem}$`),
  );
});

test('nobody listening, a lost connection and silence are errors that name the URL, but no password', async () => {
  const port = await findFreePort();
  await expect(new PoolClient(`http://127.0.0.1:${port}`).snapshot()).rejects.toThrow(
    `http://127.0.0.1:${port} does not answer GET /pool (connect ECONNREFUSED 127.0.0.1:${port})`,
  );
  const lost = await serve((req, res) => {
    res.writeHead(200, { 'Content-Length': 10 }).write('{');
    setImmediate(() => res.destroy());
  });
  await expect(new PoolClient(lost).snapshot()).rejects.toThrow(/ does not answer GET \/pool \(other side closed\)/);
  const silent = await serve(() => {});
  for (const asked of [
    new PoolClient(silent, { timeoutMs: 100 }).snapshot(),
    new PoolClient(silent, { timeoutMs: 100 }).events('pool').next(),
  ])
    await expect(asked).rejects.toThrow(/ does not answer GET \/pool\S* \(waited 0\.1 s\)$/);
  const post = ask('http://user:secret@127.0.0.1:1/a?b=c', async () => {}, { method: 'POST' });
  await expect(post).rejects.toThrow(/^http:\/\/127\.0\.0\.1:1 does not answer POST \/a\?b=c \((?!.*secret)/);
});

test('an aborted request throws the reason of its signal', async () => {
  const silent = await serve(() => {});
  const controller = new AbortController();
  const asked = [
    new PoolClient(silent).snapshot(controller.signal),
    new PoolClient(silent).events('pool', controller.signal).next(),
  ];
  controller.abort(new Error('enough'));
  for (const each of asked) await expect(each).rejects.toThrow(/^enough$/);
});

test('the stream has the events of one name, and ends with its reader', async () => {
  let isEnded = false;
  const url = await serve((req, res) => {
    res.on('close', () => {
      isEnded = true;
    });
    res.write('retry: 1000\n\nevent: history\ndata: {}\n\nevent: pool\nda');
    setImmediate(() => res.write('ta: {"max":3}\n\nevent: pool\ndata: {"max":4}\n\n'));
  });
  const seen = [];
  for await (const { max } of new PoolClient(url).events('pool')) if (seen.push(max) === 2) break;
  expect(seen).toEqual([3, 4]);
  await until('the app sees the end', () => isEnded);

  const refusing = await serve((req, res) => res.writeHead(503).end());
  await expect(new PoolClient(refusing).events('pool').next()).rejects.toThrow(/: GET \/pool\/events answered 503$/);
});
