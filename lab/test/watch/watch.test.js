import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import { cleanUp } from 'test-support/cleanup.js';
import { serveHttp } from 'test-support/network.js';
import { findFreePort } from 'test-support/processes.js';
import { until } from 'test-support/waiting.js';
import { startWatch } from './start-watch.js';
import { runCli } from '../support/run-cli.js';
import { describeOverview } from '../../watch/overview-page.js';
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
    const child = spawn(process.execPath, ['lab/cli.js', 'watch', '--', ...command], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    cleanUp(() => child.kill());
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text) => {
      said += text;
    });
    const url = await until('it has a page', () => said.match(/the pools of this app: (\S+)\n/)?.[1]);
    const page = await (await fetch(`${url}processes`)).json();
    expect(page.command).toMatch(/1000\) mongodb:\/\/\*\*\*@host\/ --token \*\*\*$/);
  });

  test('one address for an app that is restarted, and a word about a MongoDB that does not answer', async () => {
    const restarting = `
    const start = () => require('node:child_process')
      .spawn(process.execPath, ['examples/article-app.js'], { stdio: 'inherit' })
      .once('exit', start);
    start();`;
    const { said, url } = startWatch(['--', process.execPath, '-e', restarting], {
      MONGODB_URI: 'mongodb://127.0.0.1:1',
    });
    /** @param {string} [before] process */
    const findRow = (before) =>
      until(
        'a process has a client',
        async () => {
          if (!said.stderr.includes('the pools of this app')) return undefined;
          const { rows } = await (await fetch(`${url()}processes`)).json();
          return rows.length > 0 && rows[0].name !== before ? rows : undefined;
        },
        60_000,
      );
    const [first] = await findRow();
    const shown = await fetch(url(), { redirect: 'manual' });
    expect({ status: shown.status, page: shown.headers.get('location') }).toEqual({
      status: 307,
      page: `${first.url}/`,
    });
    await until('it says so', () =>
      /no MongoDB answers process \d+ at 127\.0\.0\.1:1\. .+--mongo embedded/.test(said.stderr),
    );
    expect(said.stderr.match(/^.*http:.*$/gm)).toHaveLength(1);

    process.kill(Number(first.name.match(/process (\d+)/)?.[1]));
    expect(await findRow(first.name)).toMatchObject([{ url: first.url }]);
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
    const [line] = await once(child.stdout.setEncoding('utf8'), 'data');
    return { pid: Number(child.pid), child, line: String(line), inspector: `http://127.0.0.1:${port}/json/list` };
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

  test.each(['as soon as the inspector is open', 'while it waits for a client'])(
    'a command that is killed %s leaves no open inspector',
    async (when) => {
      const { pid, line, inspector } = await startProcess('lab/test/watch/app-to-watch.js');
      const attach = spawn(process.execPath, ['lab/cli.js', 'attach', String(pid), '--yes'], { stdio: 'ignore' });
      const state = `http://127.0.0.1:${Number(line)}/state`;
      await until('the inspector is open', () => answers(inspector));
      if (when === 'while it waits for a client')
        await until('it waits', async () => (await (await fetch(state)).json()).traces.follows);
      attach.kill('SIGKILL');
      await until('the inspector is closed', async () => !(await answers(inspector)));
      expect(await answers(state)).toBe(true);
    },
  );

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
    const why =
      'The last minute: Requests wait 50 ms on average, because /report (find articles) holds the only connection.';
    for (const [count, start] of /** @type {const} */ ([
      [1, ''],
      [2, 'Process 0: '],
    ]))
      expect(describeOverview('app.js', await new OverviewReader(processes.slice(0, count)).read()).trouble).toBe(
        start + why,
      );
  });
});
