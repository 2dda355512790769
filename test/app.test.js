import { cp, mkdir, readdir, readFile, realpath, symlink } from 'node:fs/promises';
import { builtinModules, createRequire } from 'node:module';
import path from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { scratchFolder } from 'test-support/cleanup.js';
import { sharedMongoUrl } from 'test-support/mongod.js';
import { openTcpProxy } from 'test-support/network.js';
import { inOrder, until } from 'test-support/waiting.js';
import { createConcurrencyLimit } from '../src/http/concurrency-limit.js';
import { openMongoGate } from './support/mongo-gate.js';
import { ask, createTestLog, serveApp, serveParts, useControl } from './support/serve-app.js';
import { startApp } from './support/start-app.js';

const STATIC = /^(?:import|export)\s[^;]*?from '([^']+)'|^import '([^']+)'/gm;
/** Forked files, and packages whose files are served or loaded when they are needed. `import()` is not among them. */
const ON_DEMAND = /new URL\('([^']+\.js)', import\.meta\.url\)|resolve\('([^']+)'\)/g;

/**
 * Follows the imports of a file, also into our own packages.
 * @param {string} entry
 * @param {{ onDemand?: boolean }} [options] onDemand: also follow what is forked or resolved later
 * @returns {Promise<{ files: string[], packages: string[] }>} sorted
 */
async function listReached(entry, { onDemand = false } = {}) {
  const files = new Set([path.normalize(entry)]);
  const packages = new Set();
  for (const file of files) {
    const code = await readFile(file, 'utf8');
    for (const [match, one, other] of [...code.matchAll(STATIC), ...(onDemand ? code.matchAll(ON_DEMAND) : [])]) {
      const specifier = one ?? other;
      if (match.startsWith('new URL') || specifier.startsWith('.')) files.add(path.join(path.dirname(file), specifier));
      else if (!specifier.startsWith('node:') && !builtinModules.includes(specifier)) {
        packages.add(nameOf(specifier));
        const own = await findOwn(specifier);
        if (own) files.add(own);
      }
    }
  }
  return { files: [...files].sort(), packages: [...packages].sort() };
}

/** @param {string} specifier such as `@scope/name/file` */
function nameOf(specifier) {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

/** @param {string} specifier @returns {Promise<string | null>} the file, if it is in `packages/` */
async function findOwn(specifier) {
  if (!(await realpath(path.join('node_modules', nameOf(specifier)))).startsWith(path.resolve('packages'))) return null;
  return path.relative('', createRequire(path.resolve('package.json')).resolve(specifier));
}

const { dependencies } = JSON.parse(await readFile('package.json', 'utf8'));
const dockerfile = await readFile('Dockerfile', 'utf8');

describe('with a MongoDB that answers', () => {
  /** @type {Awaited<ReturnType<typeof openMongoGate>>} */
  let gate;
  /** @type {string} */
  let url;
  beforeAll(async () => {
    gate = await openMongoGate();
    url = await serveApp({ MONGO_URL: gate.url, MONGO_POOLSIZE: '1', SLOW_MS: '20' });
  });

  test('/slow says how long its query took the server', async () => {
    const { status, body } = await ask(`${url}/slow`);
    expect({ status, body }).toEqual({ status: 200, body: { query: 'slow', serverMs: 20 } });
  });

  test('/fast answers with a customer', async () => {
    const { status, body } = await ask(`${url}/fast`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      query: 'fast',
      customer: { email: expect.stringMatching(/^customer-\d+@example.com$/) },
    });
  });

  test('while /slow holds the only connection, /fast waits but /livez and /readyz answer', async () => {
    const readPool = async () => (await ask(`${url}/pool`)).body;
    gate.hold();
    const slow = ask(`${url}/slow`);
    await until('/slow holds it', async () => (await readPool()).active === 1);
    const answers = inOrder([slow, ask(`${url}/fast`)]);
    await until('/fast waits', async () => (await readPool()).waiting === 1);
    expect(await ask(`${url}/livez`)).toMatchObject({ status: 200, body: { status: 'live' } });
    expect(await ask(`${url}/readyz`)).toMatchObject({ status: 200, body: { status: 'ready' } });
    expect(await readPool()).toMatchObject({ active: 1, waiting: 1 });
    gate.release();
    expect(await answers).toMatchObject([
      { status: 200, body: { query: 'slow' } },
      { status: 200, body: { query: 'fast' } },
    ]);
  });

  test.each(['/', '/page/main.js', '/pool', '/control/pool-size', '/nowhere'])(
    '%s has security headers',
    async (path) => {
      const { headers } = await fetch(url + path);
      const policy = String(headers.get('content-security-policy')).split(';');
      expect(policy).toEqual(
        expect.arrayContaining(["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"]),
      );
      expect(policy.join()).not.toMatch(/unsafe|\*|https?:/);
      expect(Object.fromEntries(headers)).toMatchObject({
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
        'cross-origin-resource-policy': 'same-origin',
      });
      expect(headers.has('x-powered-by')).toBe(false);
    },
  );

  test.each(['/nowhere', '/slow/er', '/%ff'])('%s is a problem with status 404', async (path) => {
    expect(await ask(url + path)).toMatchObject({
      status: 404,
      type: 'application/problem+json',
      body: { type: 'about:blank', status: 404, title: 'Not Found' },
    });
  });
});

test('a request that waits too long for a connection gets 503 with Retry-After', async () => {
  // Longer than a busy machine takes to connect. The slow query runs until its client disconnects.
  const url = await serveApp({
    MONGO_POOLSIZE: '1',
    MONGO_MIN_POOLSIZE: '1',
    MONGO_WAIT_QUEUE_TIMEOUT_MS: '500',
    SLOW_MS: '60000',
  });
  const pool = async () => (await ask(`${url}/pool`)).body;
  await until('the connection is open', async () => (await pool()).idle === 1);
  const client = new AbortController();
  const slow = fetch(`${url}/slow`, { signal: client.signal }).catch(({ name }) => name);
  await until('a slow query holds it', async () => (await pool()).active === 1);

  expect(await ask(`${url}/fast`)).toMatchObject({
    status: 503,
    type: 'application/problem+json',
    retryAfter: '1',
    body: {
      title: 'No connection became free in time',
      detail: 'waited 500 ms for a connection: total 1, active 1, idle 0, waiting 0, max 1',
    },
  });
  client.abort();
  expect(await slow).toBe('AbortError');
  await until('/fast is served', async () => (await ask(`${url}/fast`)).status === 200);
});

test('without MongoDB, queries and /readyz get 503, /livez still answers, and all recovers with MongoDB', async () => {
  const proxy = await openTcpProxy(Number(new URL(sharedMongoUrl()).port));
  const mongoUrl = `mongodb://127.0.0.1:${proxy.port}/?directConnection=true`;
  // Long enough to be found at the start, on a busy machine too.
  const url = await serveApp({ MONGO_URL: mongoUrl, MONGO_SERVER_SELECTION_TIMEOUT_MS: '2000' });
  const routes = ['/slow', '/fast', '/readyz', '/livez'];
  const getAll = () => Promise.all(routes.map((route) => ask(url + route)));
  expect((await getAll()).map(({ status }) => status)).toEqual([200, 200, 200, 200]);

  proxy.cut();
  await until('/readyz notices', async () => (await ask(`${url}/readyz`)).status === 503);
  const unreachable = {
    status: 503,
    type: 'application/problem+json',
    retryAfter: '1',
    body: { type: 'about:blank', status: 503, title: 'MongoDB is unreachable' },
  };
  expect(await getAll()).toMatchObject([unreachable, unreachable, unreachable, { status: 200 }]);
  expect(await ask(`${url}/pool/server`)).toMatchObject(unreachable);

  await proxy.restore();
  await until('/fast works again', async () => (await ask(`${url}/fast`)).status === 200);
  expect(await getAll()).toMatchObject(routes.map(() => ({ status: 200 })));
});

test('for our own fault the client only learns the status, and the log has everything', async () => {
  const { log, lines } = createTestLog();
  const database = /** @type {any} */ ({
    slow: {
      use: async () => {
        throw new Error('the secret of line 42');
      },
    },
  });
  const url = await serveParts({
    log,
    database,
    load: { slowMs: 300 },
    slowLimit: createConcurrencyLimit(),
    requestTimeoutMs: 1000,
  });
  const { status, type, body } = await ask(`${url}/slow`);
  expect({ status, type, body }).toEqual({
    status: 500,
    type: 'application/problem+json',
    body: { type: 'about:blank', status: 500, title: 'Internal Server Error' },
  });
  expect(JSON.parse(lines.join(''))).toMatchObject({
    level: 50,
    path: '/slow',
    err: { message: 'the secret of line 42' },
  });
});

describe('the app alone', () => {
  const SERVER = 'src/server.js';
  /** What the server loads first. */
  const APP = 'src/run-app.js';

  /** @returns {Promise<Record<string, string>>} our packages' folders by name */
  async function listWorkspaces() {
    const folders = (await readdir('packages')).map((name) => `packages/${name}`);
    return Object.fromEntries(
      await Promise.all(
        folders.map(async (folder) => [JSON.parse(await readFile(`${folder}/package.json`, 'utf8')).name, folder]),
      ),
    );
  }

  /**
   * A copy of the app with a node_modules of only these packages.
   * @param {string[]} packages
   */
  async function copyApp(packages) {
    const folder = await scratchFolder();
    for (const part of ['src', 'packages', 'package.json'])
      await cp(part, path.join(folder, part), { recursive: true });
    const workspaces = await listWorkspaces();
    for (const name of packages) {
      const link = path.join(folder, 'node_modules', name);
      await mkdir(path.dirname(link), { recursive: true });
      const target = workspaces[name] ? path.join(folder, workspaces[name]) : await realpath(`node_modules/${name}`);
      await symlink(target, link, 'junction');
    }
    return folder;
  }

  describe('with only the packages that the server imports, the app', () => {
    /** @type {string} */
    let server;
    beforeAll(async () => {
      const { packages } = await listReached(APP);
      expect(packages).toContain('express');
      expect(packages).not.toContain('artillery');
      expect(packages).not.toContain('mongodb-pool-predictor');
      // The page's charts are served from this one's folder.
      server = path.join(await copyApp([...packages, 'uplot']), SERVER);
    });

    test('runs, and says that load tests and predictions are not installed', async () => {
      const app = startApp({ MONGO_URL: sharedMongoUrl() }, { server, cwd: path.dirname(server) });
      const url = await app.url;
      expect((await fetch(`${url}/readyz`)).status).toBe(200);
      expect((await fetch(`${url}/fast`)).status).toBe(200);
      expect(await (await fetch(`${url}/pool`)).json()).toMatchObject({
        features: { loadTests: false, predictions: false },
      });
      expect(await useControl(url, 'load-test', {})).toMatchObject({
        status: 501,
        type: 'application/problem+json',
        body: {
          type: 'about:blank',
          status: 501,
          title: 'Load tests are not installed',
          detail: "load tests need Artillery: run npm install in the project's folder, then start the app again",
        },
      });
      app.child.disconnect();
      const { code, stdout, stderr } = await app.ended;
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toContain('"maxPoolSize 100 (MONGO_POOLSIZE is unset)"');
    });

    test('shows its routes and settings with --help, and starts nothing', async () => {
      const options = { server, cwd: path.dirname(server), args: ['--help'] };
      const { code, stdout, stderr } = await startApp({ MONGO_POOLSIZE: 'abc' }, options).ended;
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toMatch(/^npm start: the demo app[^]*\/slow \/fast[^]*MONGO_POOLSIZE[^]*LOG_LEVEL/);
    });
  });

  describe('the Docker image', () => {
    const copied = [...dockerfile.matchAll(/^COPY (.+) \S+$/gm)].flatMap(([, files]) => files.split(' '));

    test('has the files that the app needs, and no package that it does not reach', async () => {
      const { files, packages } = await listReached(APP, { onDemand: true });
      const isCopied = (/** @type {string} */ file) =>
        copied.some((each) => file === each || file.startsWith(`${each}/`));
      const isSent = readIgnore(await readFile('.dockerignore', 'utf8'));
      expect(files.filter((file) => !isCopied(file) || !isSent(file))).toEqual([]);
      const workspaces = Object.entries(await listWorkspaces());
      const needed = workspaces.filter(([name]) => packages.includes(name)).map(([, folder]) => folder);
      expect(copied.filter((each) => each.startsWith('packages/'))).toEqual(needed);
      expect(isSent('lab/cli.js')).toBe(false);
    });

    test('installs what the app needs, and no more', async () => {
      const { packages } = await listReached(APP, { onDemand: true });
      const declared = { ...dependencies };
      for (const each of copied.filter((name) => name.startsWith('packages/'))) {
        Object.assign(declared, JSON.parse(await readFile(`${each}/package.json`, 'utf8')).dependencies);
      }
      expect(Object.keys(dependencies).filter((name) => !packages.includes(name))).toEqual([]);
      expect(packages.filter((name) => !declared[name] && !name.startsWith('mongodb-pool-'))).toEqual([]);
    });
  });
  /**
   * Like Docker: the last pattern that matches the file, or a folder above it, decides.
   * @param {string} text
   * @returns {(file: string) => boolean} whether it is copied
   */
  function readIgnore(text) {
    const patterns = text
      .trim()
      .split('\n')
      .map((line) => {
        const glob = line.replace(/^!/, '').replaceAll('.', '\\.').replaceAll('*', '[^/]*');
        return { isKept: line.startsWith('!'), pattern: new RegExp(`^${glob}(/|$)`) };
      });
    return (file) => patterns.findLast(({ pattern }) => pattern.test(file))?.isKept ?? true;
  }
});
