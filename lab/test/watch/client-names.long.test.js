import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { readTrace } from 'mongodb-pool-predictor/node';
import { cleanUp, scratchFolder } from 'test-support/cleanup.js';
import { sharedMongoUrl } from 'test-support/mongod.js';
import { findFreePort } from 'test-support/processes.js';
import { runNode } from 'test-support/processes.js';
import { until } from 'test-support/waiting.js';

const APP = path.resolve('lab/test/sweep/apps/same-database.js');
const [MAIN, REPORTS] = [50, 5].map((size) => `one_database maxPoolSize=${size}`);
/** @type {[string, Record<string, string>][]} */
const ORDERS = [
  ['one order', {}],
  ['the other order', { REPORTS_FIRST: 'yes' }],
];

/** @param {Record<string, string>} env @param {string[]} [options] of Node.js */
async function startApp(env, options = []) {
  const child = spawn(process.execPath, [...options, APP], {
    env: { ...process.env, MONGODB_URI: sharedMongoUrl(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  cleanUp(() => child.kill());
  const said = once(createInterface({ input: child.stderr }), 'line');
  const [port] = await once(createInterface({ input: child.stdout }), 'line');
  const get = async (/** @type {string} */ route) => (await fetch(`http://127.0.0.1:${port}${route}`)).text();
  return { pid: child.pid, said, get };
}

/** The page of an app that was started with the monitor. @param {Record<string, string>} env */
async function watch(env) {
  const { said, ...app } = await startApp(env, ['--import', 'mongodb-pool-monitor/attach']);
  const [line] = await said;
  return { ...app, url: String(/http:\S+/.exec(line)) };
}

/** The page of an app that the monitor was attached to later. @param {Record<string, string>} env */
async function attach(env) {
  // Other tests attach on the usual port.
  const app = await startApp(env, [`--inspect-port=${await findFreePort()}`]);
  const child = spawn(process.execPath, ['lab/cli.js', 'attach', String(app.pid), '--yes'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  cleanUp(() => child.kill('SIGINT') && once(child, 'exit'));
  for await (const line of createInterface({ input: child.stderr })) {
    const [, url] = /Watching process \d+: (\S+)/.exec(line) ?? [];
    if (url) return { ...app, url };
  }
  throw new Error('it ended');
}

describe.each(ORDERS)('two clients of one database that connect in %s', (_, env) => {
  test.each(
    /** @type {[string, typeof watch][]} */ ([
      ['watched', watch],
      ['attached later', attach],
    ]),
  )('have the same names when they are %s, and are recorded by them', async (__, start) => {
    const { get, url } = await start(env);
    const read = async (/** @type {string} */ of) => (await fetch(new URL(of, url))).json();
    await until('both are found', async () => {
      await Promise.all(['/main', '/reports'].map(get));
      return (await read('pool')).clients.length === 2;
    });
    await Promise.all(['/main', '/reports'].map(get));
    // Also those that ended before the other client came.
    const { checkouts } = await read('pool/checkouts');
    const seen = checkouts.map((/** @type {Record<string, string>} */ { route, pool }) => `${route} ${pool}`);
    expect(new Set(seen.filter((/** @type {string} */ each) => each.startsWith('/')))).toEqual(
      new Set([`/main ${MAIN}`, `/reports ${REPORTS}`]),
    );
    const out = path.join(await scratchFolder(), 'trace.jsonl');
    const record = (/** @type {string} */ client) =>
      runNode(['lab/cli.js', 'record', '--url', url, '--client', client, '--out', out, '--seconds', '2']);
    const ended = record(REPORTS);
    let isOver = false;
    ended.finally(() => (isOver = true));
    while (!isOver) await Promise.all(['/main', '/reports'].map(get));
    expect(await ended).toMatchObject({ code: 0 });
    const { pools, routes, checkouts: recorded } = await readTrace(out);
    expect([pools.map(({ name }) => name), new Set(recorded.routeOf)]).toEqual([
      [REPORTS],
      new Set([routes.indexOf('/reports')]),
    ]);
    expect(await record('one_database')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`no client "one_database", but process`),
    });
  });

  test('one of them gets other sizes, and only if its name is clear', async () => {
    const code = "for (const each of ['/main', '/reports']) fetch(process.env.TARGET_URL + each)";
    const load = `${process.execPath} -e "${code}"`;
    const options = ['--pool-sizes', '3', '--load', load, '--warm-up', '0', '--json', '--out', await scratchFolder()];
    const sweep = (/** @type {string} */ client) =>
      runNode(['lab/cli.js', 'sweep', ...options, '--client', client, '--', process.execPath, APP], {
        env: { MONGODB_URI: sharedMongoUrl(), ...env },
      });
    const ran = await sweep(REPORTS);
    const { settings, variants } = JSON.parse(ran.stdout);
    expect({ code: ran.code, own: settings.ownPoolSizes, requests: variants[0].measured.requests }).toEqual({
      code: 0,
      own: [5],
      requests: 2,
    });
    const { stderr } = await sweep('one_database');
    expect(stderr).toMatch(/^The app has 2 clients one_database: .*. Choose one of these$/m);
    for (const name of [MAIN, REPORTS]) expect(stderr).toContain(name);
  });
});
