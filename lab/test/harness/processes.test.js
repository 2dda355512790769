import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdir, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { connect, createServer } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { beforeAll, describe, expect, jest, test } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { cleanUp, scratchFolder } from 'test-support/cleanup.js';
import { sharedMongoUrl } from 'test-support/mongod.js';
import { openReports } from '../../harness/attach-reports.js';
import { readMonitors } from '../../harness/monitor-reader.js';
import { serveHandler } from '../../../test/support/serve-app.js';
import { forkScript } from '../../harness/forked-process.js';
import { parsePrograms } from '../../harness/programs.js';
import { quoteOutput } from '../../harness/quote-output.js';
import { addLatency } from '../../harness/latency.js';
import { readSettings } from '../../../src/settings.js';
import { openDelayProxy } from '../../harness/delay-proxy.js';

const reports = await openReports();

cleanUp(() => reports.close());

const FIRST = { pid: 7, threadId: 0, command: 'app.js', ports: [], clients: [] };

const CLIENT = { name: null, hosts: ['127.0.0.1:27017'], maxPoolSize: 4, replacedMaxPoolSize: 100 };

/** @param {string} body @returns {Promise<number>} */
async function post(body) {
  return (await fetch(reports.url, { method: 'POST', body })).status;
}

test('a process grows with its reports, in whatever order they come', async () => {
  const told = once(reports.events, 'report');
  expect(await post(JSON.stringify(FIRST))).toBe(204);
  await told;
  await post(JSON.stringify({ ...FIRST, ports: [3000], url: 'http://127.0.0.1:5555/', clients: [CLIENT] }));
  await post(JSON.stringify(FIRST));
  await post(JSON.stringify({ ...FIRST, threadId: 1, notWatched: 'its driver is old' }));
  await post(JSON.stringify({ ...FIRST, threadId: 1, notWatched: null }));
  expect(reports.processes).toEqual([
    { pid: 7, threadId: 0, command: 'app.js', ports: [3000], url: 'http://127.0.0.1:5555', clients: [CLIENT] },
    { pid: 7, threadId: 1, command: 'app.js', notWatched: 'its driver is old', ports: [], clients: [] },
  ]);
});

/** @typedef {{ path?: string, method?: string, headers?: Record<string, string>, body?: string }} Sent */
/** @type {[string, Sent, number, string][]} */
const REFUSED = [
  ['nothing', { body: '' }, 400, 'JSON'],
  ['null', { body: 'null' }, 400, 'it must be an object'],
  ['a list', { body: '[7]' }, 400, 'it must be an object'],
  ['half a report', { body: '{"pid":7}' }, 400, 'threadId must be a whole number'],
  ...['1e999', '-7', '7.5'].map(
    (pid) =>
      /** @type {(typeof REFUSED)[0]} */ ([
        `the process ${pid}`,
        { body: JSON.stringify(FIRST).replace('7', pid) },
        400,
        'pid must be a whole number',
      ]),
  ),
  ['hosts that are none', { body: JSON.stringify({ ...FIRST, clients: [{ hosts: 5 }] }) }, 400, 'clients[0].hosts'],
  ['a larger one', { body: JSON.stringify({ ...FIRST, command: 'x'.repeat(100_000) }) }, 413, '100000 characters'],
  ['a much larger one', { body: `"${'x'.repeat(5_000_000)}"` }, 413, '100000 characters'],
  ...['http://example.com:80/', 'https://127.0.0.1:1/', 'file:///etc/passwd', 'http://127.0.0.1.example.com/', 'x'].map(
    (url) =>
      /** @type {(typeof REFUSED)[0]} */ ([
        `a page at ${url}`,
        { body: JSON.stringify({ ...FIRST, url }) },
        400,
        'url must be an http:// URL on loopback',
      ]),
  ),
  ['one without the secret', { path: '/' }, 404, 'Not Found'],
  ['one with another secret', { path: `/reports/${'x'.repeat(32)}` }, 404, 'Not Found'],
  ['one under another name', { headers: { Host: 'evil.example' } }, 403, '127.0.0.1 or localhost'],
  ['a question', { method: 'GET' }, 405, 'Method Not Allowed'],
];

test.each(REFUSED)('%s is refused', async (_, { path, method = 'POST', headers, body }, status, words) => {
  const before = structuredClone(reports.processes);
  const outgoing = request(new URL(path ?? '', reports.url), { method, headers, agent: false });
  outgoing.on('error', () => {}).end(method === 'POST' ? (body ?? JSON.stringify({ ...FIRST, pid: 8 })) : undefined);
  const [response] = await once(outgoing, 'response');
  const answer = await new Response(response).text();
  expect({ status: response.statusCode, type: response.headers['content-type'] }).toEqual({
    status,
    type: 'application/problem+json; charset=utf-8',
  });
  expect(answer).toContain(words);
  expect(reports.processes).toEqual(before);
});

test('a report may be as large as the limit', async () => {
  const report = { ...FIRST, pid: 9 };
  const command = 'x'.repeat(100_000 - JSON.stringify({ ...report, command: '' }).length);
  expect(await post(JSON.stringify({ ...report, command }))).toBe(204);
});

const signal = new AbortController().signal;

/** A monitor that has more records each time it is asked. @param {number} forgotten */
function serveMonitor(forgotten) {
  const lastIds = { checkouts: 3, requests: 1 };
  return serveHandler((req, res) => {
    const { pathname, searchParams } = new URL(String(req.url), 'http://monitor');
    const kind = /** @type {'checkouts' | 'requests'} */ (pathname.replace('/pool/', ''));
    const after = Number(searchParams.get('after'));
    lastIds[kind] += 2;
    const records = Array.from({ length: lastIds[kind] - after }, (_, index) => ({ id: after + index + 1 }));
    res.end(JSON.stringify({ [kind]: records, lastId: lastIds[kind], forgotten: after > 0 ? forgotten : 0 }));
  });
}

test('reads what comes after the start, from each process, also from one that starts later', async () => {
  const first = { pid: 1, threadId: 0, command: '', ports: [], clients: [], url: await serveMonitor(0) };
  const second = { pid: 2, threadId: 0, command: '', ports: [], clients: [] };
  const reader = await readMonitors([first, second], signal);
  Object.assign(second, { url: await serveMonitor(0) });
  const { checkouts, requests, forgotten } = await reader.stop();
  expect(checkouts.map(({ source, id }) => [source, id])).toEqual([
    [0, 6],
    [0, 7],
    [1, 1],
    [1, 2],
    [1, 3],
    [1, 4],
    [1, 5],
  ]);
  expect(requests.map(({ source, id }) => [source, id])).toEqual([
    [0, 4],
    [0, 5],
    [1, 1],
    [1, 2],
    [1, 3],
  ]);
  expect(forgotten).toBe(0);
});

test('says how much is missing, and which process does not answer', async () => {
  const lossy = { pid: 1, threadId: 0, command: '', ports: [], clients: [], url: await serveMonitor(4) };
  expect(await (await readMonitors([lossy], signal)).stop()).toMatchObject({ forgotten: 8 });
  await expect(readMonitors([{ ...lossy, url: 'http://127.0.0.1:1' }], signal)).rejects.toThrow(
    'the monitor of process 1, http://127.0.0.1:1 does not answer GET /pool/checkouts?after=0 (',
  );
});

describe('a forked process', () => {
  /** Replies with what it is asked, dies of `die`, and keeps quiet at `wait`. @type {string} */
  let script;

  beforeAll(async () => {
    script = path.join(await scratchFolder(), 'echo.mjs');
    await writeFile(
      script,
      `process.send('ready');
process.on('message', (question) => {
  if (question === 'die') throw new Error('asked to die');
  if (question !== 'wait') process.send(question);
});
process.on('disconnect', () => process.exit());`,
    );
  });

  /** @param {AbortSignal} [signal] */
  async function start(signal) {
    const echo = await forkScript(script, { name: 'the echo', signal });
    cleanUp(echo.stop);
    return echo;
  }

  test('a script is asked one thing after the other', async () => {
    const echo = await start();
    expect([echo.message, await echo.ask('one'), await echo.ask('two')]).toEqual(['ready', 'one', 'two']);
  });

  test('one that dies instead of an answer says why', async () => {
    const echo = await start();
    await expect(echo.ask('die')).rejects.toThrow(/^the echo ended by itself: [^]*asked to die/);
  });

  test('whoever waits for an answer can be interrupted', async () => {
    const controller = new AbortController();
    const echo = await start(controller.signal);
    const answer = echo.ask('wait');
    controller.abort(new Error('enough'));
    await expect(answer).rejects.toThrow('enough');
  });

  test('after an interruption, nothing is started', async () => {
    const folder = await scratchFolder();
    const marking = path.join(folder, 'mark.mjs');
    await writeFile(
      marking,
      `import { writeFileSync } from 'node:fs';
writeFileSync(new URL('started', import.meta.url), '');
process.send('ready');
process.disconnect();`,
    );
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(forkScript(marking, { name: 'the mark', signal })).rejects.toThrow('enough');
    expect(await readdir(folder)).toEqual(['mark.mjs']);
  });
});

test('where there is no /proc, ps says what runs', () => {
  const listing = '    1     0 launchd          /sbin/launchd\n 4211  4200 bun              bun run app.ts\n\n';
  expect(parsePrograms(listing)).toEqual([
    { pid: 1, parent: 0, name: 'launchd', words: ['/sbin/launchd'] },
    { pid: 4211, parent: 4200, name: 'bun', words: ['bun', 'run', 'app.ts'] },
  ]);
});

describe('the output of an app', () => {
  const FRAMES = Array.from({ length: 12 }, (_, index) => `    at deep (/app/server.js:${index + 1}:49)`);

  test('the text of an error is whole, and one frame says where it happened', () => {
    const text = Array.from({ length: 30 }, (_, line) => `line ${line} of the message`);
    const output = ['listening soon', '/app/server.js:2', '   ^', '', `Error: ${text.join('\n')}`, ...FRAMES, ''];
    expect(quoteOutput([...output, 'Node.js v24.1.0'].join('\n'))).toBe(`Error: ${text.join('\n')}\n${FRAMES[0]}`);
  });

  test('the cause is quoted below, without its frames, and none of the other properties', () => {
    const cause = ['  [cause]: MongoServerSelectionError: nobody answers', ...FRAMES.map((line) => `  ${line}`), '  }'];
    const dump = ['  reason: TopologyDescription {', "    '127.0.0.1:27017' => ServerDescription {", '  },'];
    const output = ['MongooseError: no connection', ...FRAMES, ...dump, ...cause, '}', ''].join('\n');
    expect(quoteOutput(output).split('\n')).toEqual([
      'MongooseError: no connection',
      FRAMES[0],
      cause[0],
      `  ${FRAMES[0]}`,
    ]);
  });

  test.each([
    ['', ''],
    ['at the end', 'at the end'],
    [
      Array.from({ length: 20 }, (_, line) => line).join('\n'),
      Array.from({ length: 15 }, (_, line) => line + 5).join('\n'),
    ],
  ])('other output: its last lines', (output, quoted) => {
    expect(quoteOutput(output)).toBe(quoted);
  });
});

describe('added latency', () => {
  const settings = readSettings({}, 'no .env file');

  test('the primary is reached through a proxy, by the same connection string but for the host', async () => {
    const near = sharedMongoUrl();
    const { url, close } = await addLatency(near, settings, 30);
    cleanUp(close);
    expect(url.replace(/:\d+/, '').replace('&directConnection=true', '')).toBe(near.replace(/:\d+/, ''));
    const client = await MongoClient.connect(url);
    cleanUp(() => client.close());
    expect(await client.db('admin').command({ hello: 1 })).toMatchObject({ isWritablePrimary: true });
  });

  test('without any there is no proxy, but one for the opening of connections alone', async () => {
    const near = sharedMongoUrl();
    expect((await addLatency(near, settings, 0)).url).toBe(near);
    const { url, close } = await addLatency(near, settings, 0, { connectMs: 5 });
    cleanUp(close);
    expect(url).not.toBe(near);
  });

  test('a URL that leaves the hosts to the DNS is refused', async () => {
    await expect(addLatency('mongodb+srv://example.com', settings, 30)).rejects.toThrow(/starts with mongodb:\/\//);
  });

  /**
   * A proxy in front of a test server.
   * @param {number} delayMs
   * @param {(socket: import('node:net').Socket) => void} serve
   */
  async function proxyTo(delayMs, serve) {
    const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
      cleanUp(() => socket.destroy());
      socket.on('error', () => {});
      serve(socket);
    }).listen(0, '127.0.0.1');
    cleanUp(() => server.close());
    await once(server, 'listening');
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
    const proxy = await openDelayProxy({ host: '127.0.0.1', port, delayMs });
    cleanUp(() => proxy.close());
    return { proxyPort: /** @type {import('node:net').AddressInfo} */ (proxy.address()).port, server, port };
  }

  /** @param {number} port */
  async function call(port) {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    cleanUp(() => socket.destroy());
    socket.on('error', () => {});
    await once(socket, 'connect');
    return socket;
  }

  const echo = (/** @type {import('node:net').Socket} */ socket) => {
    socket.pipe(socket);
  };

  test('what is sent is held back', async () => {
    const arrived = jest.fn();
    const { port } = await proxyTo(0, (socket) => void socket.on('data', arrived));
    // In a thread, which ends although something is on its way.
    const workerData = { host: '127.0.0.1', port, delayMs: 3_600_000 };
    const far = new Worker(new URL('../../harness/delay-proxy-thread.js', import.meta.url), { workerData });
    cleanUp(() => far.terminate());
    const [farPort] = await once(far, 'message');
    (await call(farPort)).write('ping');
    const socket = await call((await proxyTo(0, echo)).proxyPort);
    for (let ping = 0; ping < 20; ping++) {
      socket.write('ping');
      await once(socket, 'data');
    }
    expect(arrived).not.toHaveBeenCalled();
  });

  test('every byte comes, in order, also to a side that reads slowly', async () => {
    const { proxyPort } = await proxyTo(1, echo);
    const socket = await call(proxyPort);
    const sent = randomBytes(8 * 2 ** 20);
    socket.end(sent);
    const received = [];
    for await (const chunk of socket) {
      received.push(chunk);
      await nextTurn();
    }
    expect(Buffer.concat(received).equals(sent)).toBe(true);
  });

  test('who has said all can still be answered', async () => {
    const { proxyPort } = await proxyTo(5, (socket) => {
      let said = '';
      socket.on('data', (chunk) => {
        said += chunk;
      });
      socket.on('end', () => socket.end(`you said ${said}`));
    });
    const socket = connect({ port: proxyPort, host: '127.0.0.1', allowHalfOpen: true });
    socket.end('hello');
    expect(await text(socket)).toBe('you said hello');
  });

  test('if the server does not exist, the connection ends', async () => {
    const { proxyPort, server } = await proxyTo(5, echo);
    server.close();
    await once(server, 'close');
    const socket = await call(proxyPort);
    await once(socket.resume(), 'close');
  });
});
