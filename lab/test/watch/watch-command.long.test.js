import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import axe from 'axe-core';
import { readTrace } from 'mongodb-pool-predictor/node';
import { describeInBrowser, launchChromium } from 'test-support/chromium.js';
import { cleanUp, scratchFolder } from 'test-support/cleanup.js';
import { sharedMongoUrl } from 'test-support/mongod.js';
import { findFreePort, runNode } from 'test-support/processes.js';
import { until } from 'test-support/waiting.js';
import { hasProcess, interruptCommand } from '../support/interrupt-command.js';
import { expectRefused, runCli } from '../support/run-cli.js';
import { startWatch } from './start-watch.js';

/** @import { CommandState } from '../support/interrupt-command.js' */

/** The plain app in two processes, which end with the primary. */
const CLUSTER = [
  process.execPath,
  '-e',
  `const cluster = require('node:cluster');
  cluster.setupPrimary({ exec: 'lab/test/watch/app-to-watch.js', execArgv: [] });
  for (let worker = 0; worker < 2; worker++) cluster.fork();
  process.once('SIGTERM', () => process.exit());`,
];

/** @param {string} url @returns {Promise<any>} */
async function readJson(url) {
  return (await fetch(url)).json();
}

test('each process of a cluster is listed, with the total, and one signal ends all', async () => {
  const { child, said, ended, url } = startWatch(['--server-timing', '--', ...CLUSTER]);
  const page = await until('both have a client', async () => {
    if (!said.stderr.includes('the pools of this app')) return undefined;
    const found = await readJson(`${url()}processes`);
    // The app's first query waits for the first connection, and then uses it.
    const isIdle = found.sentence.endsWith(': 0 of 6 lanes busy, nobody waits');
    return found.rows.length === 2 && said.stdout.split('\n').length > 2 && isIdle ? found : undefined;
  });
  expect(page).toMatchObject({
    sentence: '2 processes: 0 of 6 lanes busy, nobody waits',
    trouble: '',
    total: { name: 'Total', busy: '0 of 6', waiting: '0' },
  });
  // One address for all of them.
  expect(said.stderr.match(/http:/g)).toHaveLength(1);

  const app = `http://127.0.0.1:${said.stdout.split('\n')[0]}`;
  const response = await fetch(`${app}/slow`);
  expect(response.headers.get('server-timing')).toMatch(/^pool;dur=[\d.]+, db;dur=[\d.]+, total;dur=[\d.]+$/);
  let isSeen = false;
  const load = (async () => {
    while (!isSeen) await Promise.all(Array.from({ length: 200 }, () => fetch(`${app}/slow`)));
  })();
  const busy = await until('requests wait', async () => {
    const found = await readJson(`${url()}processes`);
    return Number(found.total.waiting) > 0 ? found : undefined;
  });
  isSeen = true;
  await load;
  expect(await readJson(`${url()}pool`)).toMatchObject({
    status: 409,
    detail: expect.stringMatching(/^2 processes have pools: use the URL of one, such as http:/),
  });
  expect(busy.sentence).toMatch(/^2 processes: \d of 6 lanes busy, \d+ requests? waits?, /);

  child.kill('SIGTERM');
  expect(await ended).toEqual([expect.any(Number), null]);
  // A worker ends when it notices that the primary has.
  for (const { url: monitor } of page.rows)
    await until('the worker has ended', () =>
      fetch(monitor).then(
        () => false,
        () => true,
      ),
    );
});

describeInBrowser('the page of all processes', () =>
  test('at two widths', async () => {
    const { child, said, ended, url } = startWatch(['--', ...CLUSTER]);
    await until(
      'both have a client',
      async () =>
        said.stderr.includes('the pools of this app') && (await readJson(`${url()}processes`)).rows.length === 2,
    );
    const browser = await launchChromium();
    cleanUp(() => browser.close());
    for (const [width, colorScheme] of /** @type {const} */ ([
      [1440, 'light'],
      [390, 'dark'],
    ])) {
      const tab = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
      await tab.goto(url());
      await tab.getByRole('heading', { name: '2 processes: 0 of 6 lanes busy, nobody waits' }).waitFor();
      expect(await tab.getByRole('link').count()).toBe(2);
      expect(await tab.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      await tab.evaluate(axe.source);
      expect((await tab.evaluate(() => Reflect.get(globalThis, 'axe').run())).violations).toEqual([]);
      await tab.close();
    }
    const refused = await Promise.all([fetch(url(), { method: 'POST' }), fetch(`${url()}nothing`)]);
    expect(refused.map(({ status }) => status)).toEqual([405, 404]);
    child.kill('SIGTERM');
    await ended;
  }),
);

test('one address for an app that is restarted, and a word about a MongoDB that does not answer', async () => {
  const restarting = `
  const start = () => require('node:child_process')
    .spawn(process.execPath, ['examples/article-app.js'], { stdio: 'inherit' })
    .once('exit', start);
  start();`;
  const { said, url } = startWatch(['--', process.execPath, '-e', restarting], {
    MONGODB_URI: 'mongodb://127.0.0.1:1/?timeoutMS=500',
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
  const isWarned = () => said.stderr.match(/timeoutMS has no effect in driver/g);
  await until('it warns of timeoutMS', isWarned);

  process.kill(Number(first.name.match(/process (\d+)/)?.[1]));
  expect(await findRow(first.name)).toMatchObject([{ url: first.url }]);
  expect(isWarned()).toHaveLength(1);
});

test('the client of a worker thread is listed with the number of the thread, which record takes', async () => {
  const folder = await scratchFolder();
  const [file, out] = ['threads.cjs', 'trace.jsonl'].map((name) => path.join(folder, name));
  await writeFile(
    file,
    `const { Worker, isMainThread } = require('node:worker_threads');
const { MongoClient } = require(${JSON.stringify(path.resolve('node_modules/mongodb'))});
const items = new MongoClient(process.env.APP_MONGO_URL).db('threads').collection('items');
const find = () => items.findOne().finally(() => setTimeout(find, 5));
find();
if (isMainThread) new Worker(__filename);`,
  );
  const { child, ended, url, isReady } = startWatch(['--', process.execPath, file]);
  await isReady();
  const { rows } = await until('both have a client', async () => {
    const page = await readJson(`${url()}processes`);
    return page.rows.length === 2 && page;
  });
  const names = rows.map((/** @type {any} */ { name }) => name).toSorted();
  const [, pid, thread] = /^threads\.cjs, process (\d+), thread (\d+)$/.exec(names[1]) ?? [];
  expect(names[0]).toBe(`threads.cjs, process ${pid}`);
  const args = ['record', '--url', url(), '--process', `${pid}:${thread}`, '--out', out, '--seconds', '1'];
  const { code, stderr } = await runNode(['lab/cli.js', ...args]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/\nRecorded [1-9]/) });
  const { processes } = await readTrace(out);
  const worker = rows.find((/** @type {any} */ { name }) => name === names[1]);
  expect(processes).toMatchObject([{ pid: Number(pid), url: worker.url }]);
  child.kill('SIGTERM');
  expect(await ended).toEqual([143, null]);
});

test('an app that finds no MongoDB under the names it gets is told them', async () => {
  const print = 'console.log(process.env.MONGO_URI, process.env.MONGODB_URL); process.exit(1);';
  const { said, ended } = startWatch(['--mongo', 'embedded', '--', process.execPath, '-e', print]);
  expect(await ended).toEqual([1, null]);
  const [url, same] = said.stdout.trim().split(' ');
  expect(url).toMatch(/^mongodb:/);
  expect(same).toBe(url);
  expect(said.stderr).toContain(`the app ended without a MongoDB. The embedded one is at ${url}, as MONGODB_URI,`);
  expect(said.stderr).toContain("such as DATABASE_URL: -- sh -c 'DATABASE_URL=$MONGO_URL npm start'");
});

test('an app without a MongoDB gets an embedded one, and every command takes both addresses', async () => {
  const nobody = 'mongodb://127.0.0.1:1';
  const port = await findFreePort();
  const { child, ended, url, isReady } = startWatch(
    ['--mongo', 'embedded', '--', process.execPath, 'examples/article-app.js'],
    { MONGODB_URI: nobody, MONGO_URL: nobody, SLEEP_MS: '20', PORT: String(port) },
  );
  await isReady();
  const early = await readJson(`${url()}pool`);
  expect(early.max ?? early.detail).toEqual(early.status === 503 ? 'no MongoClient of the app has connected yet' : 10);
  const send = (/** @type {string} */ path) =>
    fetch(`http://127.0.0.1:${port}${path}`).then(
      ({ ok }) => ok,
      () => false,
    );
  await until('it answers', () => send('/fast'));
  for (let request = 0; request < 20; request++) await send(request % 2 === 0 ? '/slow' : '/fast');

  /** Runs a command that looks at the app, for 20 requests. @param {string[]} args */
  const look = (args) =>
    runNode(['lab/cli.js', ...args], {
      onStart: (command) =>
        command.stderr?.on('data', async (words) => {
          if (!String(words).includes('Ctrl-C')) return;
          for (let request = 0; request < 20; request++) await send('/fast');
          command.kill('SIGINT');
        }),
    });
  const page = String((await fetch(url(), { redirect: 'manual' })).headers.get('location'));
  expect(page).not.toBe(url());
  const folder = await scratchFolder();
  for (const [index, address] of [url(), page].entries()) {
    const app = ['loadtests/mixed.yaml', '--app', address];
    const [predicted, advised] = [
      await runCli(['predict', ...app, '--pool-sizes', '1', '--json']),
      await runCli(['advise', ...app, '--slo', '/fast max < 30s', '--json']),
    ].map(({ stdout }) => JSON.parse(stdout));
    expect(predicted.variants).toHaveLength(1);
    expect(advised.verdict).toBe('size');
    const recorded = await look(['record', '--url', address, '--out', path.join(folder, `${index}.jsonl`)]);
    expect(recorded.stderr).toMatch(/\nRecorded [1-9]/);
    // On a busy machine, its verdict varies.
    expect(JSON.parse((await look(['doctor', address, '--json'])).stdout)).toMatchObject({
      verdict: { cause: expect.any(String) },
    });
  }
  child.kill('SIGTERM');
  expect(await ended).toEqual([143, null]);
});

test.each(
  /** @type {const} */ ([
    ['while MongoDB starts', hasProcess('mongod '), 'SIGINT', 130],
    [
      'while the app runs',
      (/** @type {CommandState} */ { said }) => said.includes('the pools of this app'),
      'SIGTERM',
      143,
    ],
  ]),
)('%s, one signal ends the embedded MongoDB too', async (_, when, signal, code) => {
  const app = [process.execPath, path.resolve('examples/article-app.js')];
  const folder = await scratchFolder();
  const end = await interruptCommand(['watch', '--mongo', 'embedded', '--', ...app], { folder, when, signal });
  expect(end).toMatchObject({ code, left: [] });
  expect(end.stderr).not.toMatch(/^ +at /m);
});

test('the exit code is that of the app', async () => {
  const { code, stderr } = await runCli(['watch', '--', process.execPath, '-e', 'process.exit(7)']);
  expect({ code, lines: stderr.split('\n').length }).toEqual({ code: 7, lines: 2 });
});

test.each([
  [['--', 'no-such-command'], /no-such-command can't be started: there is no such command\. Put what starts your app/],
  [['--port', '70000', '--', 'node'], /It must be a whole number from 0 to 65535\./],
  [['--mongo', 'mine', '--', 'node'], /'mine' is invalid\. Allowed choices are embedded\./],
  [[], /missing required argument 'command'/],
])('%j is refused', async (args, message) => {
  await expectRefused(['watch', ...args], message);
});

describe('a history', () => {
  const APP = fileURLToPath(new URL('app-to-watch.js', import.meta.url));

  test('after a kill -9, doctor and report say from the history why requests waited; predict refuses it', async () => {
    const file = path.join(await scratchFolder(), 'shop.jsonl');
    const child = spawn(process.execPath, ['--import', import.meta.resolve('mongodb-pool-monitor/attach'), APP], {
      env: { ...process.env, NODE_OPTIONS: '', APP_MONGO_URL: sharedMongoUrl(), POOL_MONITOR_LOG: file },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    cleanUp(() => child.kill('SIGKILL'));
    const [port] = await once(child.stdout.setEncoding('utf8'), 'data');
    let isOver = false;
    const callers = Array.from({ length: 30 }, async (_, index) => {
      const url = `http://127.0.0.1:${Number(port)}/${index < 28 ? 'slow' : 'users/7'}`;
      // The last request of each is cut off.
      while (!isOver)
        await fetch(url)
          .then((response) => response.text())
          .catch(() => {});
    });
    const countSeconds = async () =>
      (await readFile(file, 'utf8').catch(() => '')).match(/"event":"loop"/g)?.length ?? 0;
    await until('three seconds are written', async () => (await countSeconds()) >= 3, 60_000);
    child.kill('SIGKILL');
    await once(child, 'exit');
    isOver = true;
    await Promise.all(callers);

    const { code, stdout, stderr } = await runCli(['doctor', file]);
    // On a busy machine, its event loop is late too. More callers of /users/7 would keep it busy by themselves.
    expect(stdout).toMatch(/^the pool was full /m);
    expect(stdout).toMatch(/behind (\d × )?find users of \/slow/);
    expect(stderr.replaceAll(/\s+/g, ' ')).toMatch(
      /shop\.jsonl, \d{4}-\S+Z to \S+Z: the \d+ requests that waited longest, of about \d+\. The figures are theirs\./,
    );
    expect(code).toBe(2);
    const out = `${file}.html`;
    const report = await runCli(['report', file, '--out', out]);
    expect(report.stdout.replaceAll(/\s+/g, ' ')).toMatch(
      /The longest wait was [\d.]+ s, of \/\S+ at \d\d-\d\d \d\d:\d\d:\d\d UTC behind (\d × )?find users of \/slow/,
    );
    expect(report.stdout).toMatch(/^\d\d-\d\d \d\d:\d\d:\d\d \/\S+ +\d+ (\d × )?find users of \/slow/m);
    expect(report.stderr).toContain(`Report: ${out}`);
    const html = await readFile(out, 'utf8');
    expect(html).toContain(`process ${child.pid}`);
    expect(html).toMatch(/"title":"Who waited".*"values":\[[\d,]*[1-9]/);
    await expectRefused(['predict', '--trace', file], /is a history: it has the requests that waited longest/);
  });
});
