import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import { cleanUp } from 'test-support/cleanup.js';
import { serveHttp } from 'test-support/network.js';
import { findFreePort } from 'test-support/processes.js';
import { startWatch } from './start-watch.js';
import { runCli } from '../support/run-cli.js';
import { openOverview } from '../../watch/overview-page.js';
import { OverviewReader } from '../../watch/read-overview.js';

describe('watching', () => {
  test('the page for the projector shows no password of the command', async () => {
    const command = [
      process.execPath,
      '-e',
      'setInterval(() => {}, 1000)',
      'mongodb://app:S3cretPw@host/',
      '--token',
      'S3cretPw',
    ];
    const { url, isReady } = startWatch(['--', ...command]);
    await isReady();
    const page = await (await fetch(`${url()}processes`)).json();
    expect(page.command).toMatch(/1000\) mongodb:\/\/\*\*\*@host\/ --token \*\*\*$/);
  });
});

describe('attaching', () => {
  /**
   * A process that has no inspector yet. Others may be using its usual port.
   * @param {string[]} args
   */
  async function startProcess(...args) {
    const port = await findFreePort();
    const child = spawn(process.execPath, [`--inspect-port=${port}`, ...args], {
      env: { ...process.env, APP_IS_IDLE: 'yes', APP_MONGO_URL: 'mongodb://127.0.0.1:1' },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    cleanUp(() => child.kill('SIGKILL'));
    await once(child.stdout.setEncoding('utf8'), 'data');
    return { pid: Number(child.pid), child, inspector: `http://127.0.0.1:${port}/json/list` };
  }

  /** @param {string} url */
  const answers = (url) =>
    fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );

  test('it says what it will do before it asks, and shows no password of the process', async () => {
    const { pid, inspector } = await startProcess(
      '-e',
      'process.stdin.resume(); console.log(1)',
      'mongodb://app:S3cretPw@host/shop',
      'app:S3cretPw@host',
      '--db-password',
      'S3cretPw',
    );
    const { code, stderr } = await runCli(['attach', String(pid)]);
    const words = stderr.replaceAll(/\s+/g, ' ');
    expect({ code, words }).toEqual({ code: 1, words: expect.stringContaining('by sending it SIGUSR1') });
    expect(words).toContain('console.log(1) mongodb://***@host/shop ***@host --db-password ***');
    expect(words).not.toContain('S3cretPw');
    expect(await answers(inspector)).toBe(false);
  });

  test('a Node.js that is too old goes on as before', async () => {
    const { pid, child, inspector } = await startProcess(
      '-e',
      'process.getBuiltinModule = undefined; process.stdin.on("data", () => console.log("still here")); console.log(1)',
    );
    const { code, stderr } = await runCli(['attach', String(pid), '--yes']);
    expect({ code, last: stderr.split('\n').at(-2) }).toEqual({
      code: 1,
      last: `Process ${pid} runs Node.js ${process.version}. It needs Node.js 20.19, 22.12 or later`,
    });
    expect(await answers(inspector)).toBe(false);
    child.stdin.write('hello');
    expect(await once(child.stdout, 'data')).toEqual(['still here\n']);
  });
});

describe('the overview', () => {
  /** @param {Parameters<typeof openOverview>[0]} processes @param {string[]} [problems] */
  async function openPage(processes, problems = []) {
    const page = await openOverview(processes, { port: 0, command: 'app.js', problems });
    cleanUp(page.close);
    return async (/** @type {string} */ path) => (await fetch(`${page.url}${path}`)).json();
  }

  test('one address has the metrics of all processes that answer, by process and worker thread', async () => {
    const texts = ['# HELP up Up\n# TYPE up gauge\nup 1\n', '# HELP up Up\n# TYPE up gauge\nup{a="b"} 2\n'];
    const urls = await Promise.all(
      texts.map((text) => serveHttp((req, res) => res.writeHead(req.url === '/metrics' ? 200 : 404).end(text))),
    );
    const about = { command: 'app.js', ports: [], clients: [] };
    const ended = { pid: 3, threadId: 0, ...about, url: `http://127.0.0.1:${await findFreePort()}` };
    const processes = [{ pid: 4, threadId: 0, ...about }, ended];
    const page = await openOverview(processes, { port: 0, command: 'app.js', problems: [] });
    cleanUp(page.close);
    expect(await (await fetch(`${page.url}metrics`)).json()).toMatchObject({
      status: 503,
      detail: 'no MongoClient of the app has connected yet',
    });
    urls.forEach((url, threadId) => processes.push({ pid: 5, threadId, ...about, url }));
    const response = await fetch(`${page.url}metrics`);
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    expect((await response.text()).split('\n').slice(2)).toEqual([
      'up{process_pid="5"} 1',
      'up{process_pid="5",thread_id="1",a="b"} 2',
      '',
    ]);
  });

  test('worker threads share the id of their process, and each has its number', async () => {
    const client = { max: 2, total: 2, active: 2, waiting: 1, checkedOut: 9, queue: [{ waitMs: 40, holds: 1 }] };
    const url = await serveHttp((req, res) => {
      const lists = req.url === '/pool' ? { atMs: 1, database: { reachable: true }, clients: [client] } : {};
      res.end(JSON.stringify(lists));
    });
    const processes = [0, 3].map((threadId) => ({
      ...{ pid: 7, threadId, command: 'app.js', url, ports: [], clients: [] },
    }));
    const named = async (/** @type {typeof processes} */ some) => {
      const { rows, trouble } = await (await openPage(some))('processes');
      return [...rows.map((/** @type {any} */ { name }) => name), trouble.match(/^In (.+), a request holds/)?.[1]];
    };
    expect(await named(processes)).toEqual(['app.js, process 7', 'app.js, process 7, thread 3', 'process 7']);
    expect(await named(processes.slice(1))).toEqual(['app.js, process 7, thread 3', 'process 7, thread 3']);
  });

  test('a rate counts again soon after the clock of the app was set back', async () => {
    let pool = {};
    const url = await serveHttp((req, res) => res.end(JSON.stringify(pool)));
    const reader = new OverviewReader([{ pid: 1, threadId: 0, command: 'app.js', url, ports: [], clients: [] }]);
    const readAt = async (/** @type {number} */ atMs, /** @type {number} */ checkedOut) => {
      pool = {
        atMs,
        database: { reachable: true },
        clients: [{ max: 1, total: 1, active: 0, waiting: 0, checkedOut, queue: [] }],
      };
      return (await reader.read()).processes[0].ratePerSec;
    };
    expect(await readAt(3_600_000, 100)).toBe(null);
    expect(await readAt(3_601_000, 200)).toBe(100);
    expect(await readAt(1000, 300)).toBe(null);
    expect(await readAt(2000, 500)).toBe(200);
  });

  test('the overview says why the requests of the process with the longest wait waited', async () => {
    const checkouts = Array.from({ length: 40 }, (_, index) => ({
      ...{ atMs: index * 100, waitMs: 50, useMs: 5, pool: 0, route: 0, request: index, behind: [[1, 0, 900]] },
    }));
    const trace = [
      { trace: 'mongodb-pool-lab', version: 3 },
      { define: 'pool', id: 0, options: { maxPoolSize: { value: 1 } } },
      ...['/fast', '/report'].map((name, id) => ({ define: 'route', id, name })),
      { define: 'operation', id: 0, name: 'find articles' },
      ...checkouts,
    ];
    const client = { max: 1, total: 1, active: 1, waiting: 1, checkedOut: 40, queue: [{ waitMs: 40, holds: 0 }] };
    const urls = await Promise.all(
      [true, false].map((isWaiting) =>
        serveHttp((req, res) => {
          if (req.url === '/pool/trace')
            return res.end(isWaiting ? trace.map((line) => `${JSON.stringify(line)}\n`).join('') : '{}');
          return res.end(
            JSON.stringify({
              atMs: 1,
              database: { reachable: true },
              clients: isWaiting ? [client] : [{ ...client, queue: [] }],
            }),
          );
        }),
      ),
    );
    const processes = urls.map((url, pid) => ({ pid, threadId: 0, command: 'app.js', url, ports: [], clients: [] }));
    for (const [count, words] of /** @type {const} */ ([
      [1, /^\D+ 50 ms .+ \/report \(find articles\) /],
      [2, /^Process 0: \D+ 50 ms .+ \/report \(find articles\) /],
    ])) {
      const { trouble } = await (await openPage(processes.slice(0, count), ['process 7 is alone']))('processes');
      expect(trouble).toMatch(words);
    }
    const read = await openPage([], ['process 7 is alone']);
    expect(await read('processes')).toMatchObject({
      sentence: 'Nothing is watched yet',
      trouble: 'Process 7 is alone.',
    });
    expect(await read('pool')).toMatchObject({ status: 503, detail: 'process 7 is alone' });
  });
});
