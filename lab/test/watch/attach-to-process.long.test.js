import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { cleanUp, scratchFolder } from 'test-support/cleanup.js';
import { sharedMongoUrl } from 'test-support/mongod.js';
import { findFreePort } from 'test-support/processes.js';
import { runCli } from '../support/run-cli.js';
import { until } from 'test-support/waiting.js';

const APP = 'lab/test/watch/app-to-watch.js';

/** @param {string} name @param {string} program @returns {Promise<string>} another program of this name */
async function copyAs(name, program) {
  const file = path.join(await scratchFolder(), name);
  await copyFile(program, file);
  return file;
}

/** @param {string[]} [options] for Node.js @param {Record<string, string>} [env] */
async function startApp(options = [], env = {}) {
  const child = spawn(process.execPath, [...options, APP], {
    env: { ...process.env, APP_MONGO_URL: sharedMongoUrl(), ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  cleanUp(() => child.kill());
  const [port] = await once(child.stdout.setEncoding('utf8'), 'data');
  const url = `http://127.0.0.1:${Number(port)}`;
  return { child, pid: Number(child.pid), url, readState: () => readJson(`${url}/state`) };
}

/** @param {string} url @returns {Promise<any>} */
async function readJson(url) {
  return (await fetch(url)).json();
}

/** Callers that send one request after the other. @param {string} url */
function startLoad(url) {
  let isOver = false;
  const callers = Array.from({ length: 8 }, async (_, index) => {
    while (!isOver) await readJson(`${url}${index % 2 === 0 ? '/slow' : '/users/7'}`);
  });
  return async () => {
    isOver = true;
    await Promise.all(callers);
  };
}

/** @param {number} pid @param {string} [isReady] what it says then */
async function attach(pid, isReady = 'Press Ctrl-C') {
  const child = spawn(process.execPath, ['lab/cli.js', 'attach', String(pid), '--yes'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  cleanUp(() => child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said += text;
  });
  await until('it is attached', () => said.includes(isReady) || child.exitCode !== null, 60_000);
  return {
    child,
    said: () => said,
    url: String(said.match(/Watching process \d+: (\S+)/)?.[1]),
    async detach() {
      child.kill('SIGINT');
      const [code] = await ended;
      return code;
    },
  };
}

/**
 * Attaches while the client is in use, which is sooner than its next heartbeat.
 * @param {Awaited<ReturnType<typeof startApp>>} app
 */
async function attachInUse(app) {
  const stopLoad = startLoad(app.url);
  const attached = await attach(app.pid);
  await stopLoad();
  return attached;
}

test('a process under load is watched, and left as it was', async () => {
  const app = await startApp();
  const before = await app.readState();
  const stopLoad = startLoad(app.url);
  const attached = await attach(app.pid);
  expect(attached.said()).toMatch(/pauses\s+it\s+for/);
  expect((await app.readState()).traces.inspector).toBeNull();
  await until('enough checkouts', async () => (await readJson(`${attached.url}pool`)).checkedOut > 200);
  await stopLoad();

  const { checkedOut, atAttach, heapSearches } = await app.readState();
  expect(heapSearches).toBe(0);
  const pool = await readJson(`${attached.url}pool`);
  expect(pool).toMatchObject({ checkedOut: checkedOut - atAttach, max: 3, active: 0, waiting: 0 });
  const { checkouts } = await readJson(`${attached.url}pool/checkouts`);
  const routes = new Set(checkouts.map((/** @type {any} */ { route }) => route));
  // Whose the checkouts are that were under way is unknown, and requests that had begun are not followed.
  for (const unknown of [null, 'the app itself']) routes.delete(unknown);
  expect(routes).toEqual(new Set(['/slow', '/users/:id']));
  expect(checkouts).toContainEqual(expect.objectContaining({ route: '/slow', operation: 'find users' }));

  expect(await attached.detach()).toBe(0);
  expect(attached.said()).toContain(`Detached from process ${app.pid}.`);
  expect((await app.readState()).traces).toEqual({ ...before.traces, timers: expect.any(Number) });
  await expect(fetch(attached.url)).rejects.toThrow();

  // Again, and killed: nothing keeps the process watched.
  const again = await attachInUse(app);
  expect((await readJson(`${again.url}pool`)).max).toBe(3);
  again.child.kill('SIGKILL');
  await until('it is detached', async () => !(await app.readState()).traces.follows);
  expect((await app.readState()).traces).toMatchObject({
    listeners: before.traces.listeners,
    servers: 1,
    hooks: [false, false, false],
  });
});

test('it says when the process ends', async () => {
  const app = await startApp();
  const attached = await attachInUse(app);
  app.child.kill('SIGKILL');
  await until('it ends', () => attached.child.exitCode !== null);
  expect({ code: attached.child.exitCode, said: attached.said().split('\n').at(-2) }).toEqual({
    code: 1,
    said: `Process ${app.pid} has ended, or the monitor in it has`,
  });
});

test('a client is found in the heap if its driver has no files of its own', async () => {
  const app = await startApp([], { APP_IS_BUNDLED: 'yes' });
  const attached = await attach(app.pid);
  expect((await readJson(`${attached.url}pool`)).max).toBe(3);
  expect((await app.readState()).heapSearches).toBe(1);
  expect(await attached.detach()).toBe(0);
});

test('Ctrl-C ends the waiting for a client that nobody uses', async () => {
  const app = await startApp([], { APP_IS_IDLE: 'yes' });
  const before = await app.readState();
  const attached = await attach(app.pid, 'Then all of that is removed.');
  await until('it waits', async () => (await app.readState()).traces.follows);
  expect(await attached.detach()).toBe(130);
  expect((await app.readState()).traces).toEqual({ ...before.traces, timers: expect.any(Number) });
});

test.each(['as soon as the inspector is open', 'while it waits for a client'])(
  'a command that is killed %s leaves no open inspector',
  async (when) => {
    // Others may be using the usual port.
    const port = await findFreePort();
    const env = { APP_IS_IDLE: 'yes', APP_MONGO_URL: 'mongodb://127.0.0.1:1' };
    const app = await startApp([`--inspect-port=${port}`], env);
    const answers = () =>
      fetch(`http://127.0.0.1:${port}/json/list`).then(
        ({ ok }) => ok,
        () => false,
      );
    const command = spawn(process.execPath, ['lab/cli.js', 'attach', String(app.pid), '--yes'], { stdio: 'ignore' });
    await until('the inspector is open', answers);
    if (when === 'while it waits for a client')
      await until('it waits', async () => (await app.readState()).traces.follows);
    command.kill('SIGKILL');
    await until('the inspector is closed', async () => !(await answers()));
    expect((await app.readState()).traces.inspector).toBeNull();
  },
);

test('an inspector that was open before stays open, and it says so', async () => {
  const port = await findFreePort();
  const app = await startApp([`--inspect=${port}`]);
  const attached = await attachInUse(app);
  expect(attached.said()).toContain(`The inspector on 127.0.0.1:${port} was open before, so it stays open.`);
  expect((await app.readState()).traces.inspector).toContain(`:${port}/`);
  expect(await attached.detach()).toBe(0);
});

test('a process that something already watches is left alone', async () => {
  const app = await startApp(['--import', import.meta.resolve('mongodb-pool-monitor/attach')]);
  const { code, stderr } = await runCli(['attach', String(app.pid), '--yes']);
  expect({ code, last: stderr.split('\n').at(-2) }).toEqual({
    code: 1,
    last: expect.stringMatching(`^Process ${app.pid} is already watched: http://127.0.0.1:\\d+/$`),
  });
  expect((await app.readState()).traces).toMatchObject({ follows: true, inspector: null });
});

test('without a client, nothing stays behind', async () => {
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume(); console.log(1)'], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  cleanUp(() => child.kill());
  await once(child.stdout, 'data');
  const { code, stderr } = await runCli(['attach', String(child.pid), '--yes']);
  expect({ code, last: stderr.split('\n').at(-2) }).toEqual({
    code: 1,
    last:
      `Process ${child.pid} has no MongoClient of driver 4 or later in use, so there is nothing to watch. ` +
      "Other drivers, such as Prisma's engine, and worker threads can't be attached to. Nothing was left behind",
  });
});

test.each([
  [
    'of another program',
    async () => {
      const child = spawn('sleep', ['60']);
      cleanUp(() => child.kill());
      return Number(child.pid);
    },
    /^Process \d+ is not Node\.js: it runs \w+\. Only Node\.js processes with the mongodb driver can be watched\n$/,
  ],
  [
    'of another runtime',
    async () => {
      const child = spawn(await copyAs('bun', '/bin/sleep'), ['60']);
      cleanUp(() => child.kill());
      return Number(child.pid);
    },
    /^Process \d+ is not Node\.js: it runs bun\. .+ Start the app with Node\.js, as in: -- node app\.js, or .+\n$/,
  ],
  ['of nobody', async () => 4_000_000, /^There is no process 4000000: look up its id again/],
  [
    'without a signal handler',
    async () => {
      // An app that handles the signal in its own way and gives it back leaves Node.js without a handler.
      const child = spawn(
        process.execPath,
        [
          '-e',
          'process.on("SIGUSR1", () => {}); process.removeAllListeners("SIGUSR1"); ' +
            'process.stdin.resume(); console.log(1)',
        ],
        { stdio: ['pipe', 'pipe', 'ignore'] },
      );
      cleanUp(() => child.kill());
      await once(child.stdout, 'data');
      return Number(child.pid);
    },
    /^Process \d+ does not listen for SIGUSR1, so its inspector can't be opened\. .*pool-lab watch -- COMMAND\n$/,
  ],
])('a process id %s is refused', async (_, startProcess, message) => {
  const { code, stderr, stdout } = await runCli(['attach', String(await startProcess()), '--yes']);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(message);
});

test('it asks first', async () => {
  const app = await startApp();
  const { code, stderr } = await runCli(['attach', String(app.pid)]);
  expect(code).toBe(1);
  expect(stderr).toMatch(/Nothing was done: there is no terminal to ask on\. .* add --yes\.\n$/);
  expect((await app.readState()).traces.follows).toBe(false);
});
