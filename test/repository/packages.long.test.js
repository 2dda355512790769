import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { describeInBrowser, launchChromium } from 'test-support/chromium.js';
import { cleanUp, scratchFolder } from 'test-support/cleanup.js';
import { findFreePort } from 'test-support/processes.js';
import { until } from 'test-support/waiting.js';
import { startEmbeddedMongo } from '../../src/mongo/embedded.js';
import { readSettings } from '../../src/settings.js';
import { commandsOf } from '../support/commands-of.js';

const run = promisify(execFile);

const onWindows = process.platform === 'win32';

/**
 * Without the folder for those who have only its command. 17 kB of it are for OpenTelemetry: its code, its types, its
 * part of the README; 2 kB make `Server-Timing` cheap, 2 kB list the checkouts that have not ended, 6 kB find out what
 * a clear dropped, 11 kB know clients by the line that creates them, 2 kB know which options the driver ignores, 1 kB
 * is about the command, 13 kB name operations in all drivers, the routes of Hono and tRPC, and jobs, and 6 kB tell
 * clients of one database apart.
 */
const MAX_MONITOR_BYTES = 292e3;

const MAX_PAGE_BYTES = 400e3;

/** An Express app with one connection, as anybody would write it. */
const PLAIN_APP = `
const express = require('express');
const { MongoClient } = require('mongodb');
const client = new MongoClient(process.env.MONGO_URL, { maxPoolSize: 1 });
const orders = client.db('shop').collection('orders');
const app = express();
app.get('/orders', async (req, res) => {
  res.json(await orders.find().toArray());
});
orders.insertOne({ dish: 'soup' }).then(() => app.listen(Number(process.env.PORT), '127.0.0.1'));
`;

/**
 * Packs a package as its README says, installs what was packed in an empty folder, and writes the code of its README
 * there.
 * @param {string} name its folder
 */
async function install(name) {
  const folder = await scratchFolder();
  const npm = (/** @type {string[]} */ ...args) => run('npm', args, { cwd: folder, shell: onWindows });
  const readme = await readFile(`packages/${name}/README.md`, 'utf8');
  const [pack] = commandsOf(readme);
  expect(pack).toMatch(/^npm pack /);
  await run(`${pack} --pack-destination ${folder}`, { shell: true });
  const tarballs = await readdir(folder);
  const {
    name: packageName,
    peerDependencies = {},
    peerDependenciesMeta = {},
  } = JSON.parse(await readFile(`packages/${name}/package.json`, 'utf8'));
  // The code of a README has a client, and so the driver.
  const peers = Object.keys(peerDependencies).filter(
    (peer) => peer === 'mongodb' || !peerDependenciesMeta[peer]?.optional,
  );
  await writeFile(path.join(folder, 'package.json'), '{ "type": "module" }');
  await npm(
    'install',
    // Nothing of ours runs there.
    '--ignore-scripts',
    '--prefer-offline',
    '--no-audit',
    '--no-fund',
    ...tarballs.map((tarball) => `./${tarball}`),
    ...peers,
  );
  const code = readme.match(/```js\n([^]*?)```/)?.[1];
  await writeFile(path.join(folder, 'readme.js'), String(code));
  return { folder, installed: path.join(folder, 'node_modules', packageName), tarballs };
}

/** @param {string} folder */
function runReadme(folder) {
  return run(process.execPath, ['readme.js'], {
    cwd: folder,
    env: { ...process.env, MONGO_URL: process.env.TEST_MONGO_URL },
  });
}

/** @param {string} folder @returns {Promise<number>} bytes of all its files */
async function sizeOf(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(
    files.map(async ({ parentPath, name }) => (await stat(path.join(parentPath, name))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

describe('a package installed alone does what its README says', () => {
  test('pool-monitor, small and without dependencies', async () => {
    const { folder, installed, tarballs } = await install('pool-monitor');
    const { stdout, stderr } = await runReadme(folder);
    expect({ stdout, stderr }).toEqual({
      stdout: expect.stringMatching(/^2\d checkouts, \d+ waiting at the peak\np95 of the wait: [\d.]+ ms, longest/),
      stderr: '',
    });
    expect((await sizeOf(installed)) - (await sizeOf(path.join(installed, 'watch')))).toBeLessThan(MAX_MONITOR_BYTES);
    const { dependencies } = JSON.parse(await readFile(path.join(installed, 'package.json'), 'utf8'));
    expect(dependencies).toBeUndefined();
    expect(await readFile(path.join(installed, 'types/index.d.ts'), 'utf8')).toContain('monitorPool');

    // Both are rounded.
    const readme = await readFile('packages/pool-monitor/README.md', 'utf8');
    const [, packedMb, unpackedMb] = readme.match(/takes ([\d.]+) MB, ([\d.]+) MB unpacked/) ?? [];
    const bytes = [(await stat(path.join(folder, tarballs[0]))).size, await sizeOf(installed)];
    expect(bytes.map((each) => (each / 1e6).toFixed(1))).toEqual([packedMb, unpackedMb]);

    // The install and the option of docs/containers.md.
    const page = await readFile('docs/containers.md', 'utf8');
    const [, command, option] = page.match(/^RUN (npm install .+)\nENV NODE_OPTIONS="(.+)"$/m) ?? [];
    const place = (/** @type {string} */ text) => text.replaceAll('/opt/pool-monitor', `${folder}/opt`);
    const tarballsIn = command.replaceAll('/tmp/', `${folder}/`);
    await run(`${place(tarballsIn)} --offline --no-audit --no-fund`, { shell: true });
    const code =
      "import('mongodb').then(async ({ MongoClient }) => (await new " +
      'MongoClient(process.env.MONGO_URL).connect()).close())';
    const watched = await run(process.execPath, ['-e', code], {
      cwd: folder,
      env: { ...process.env, MONGO_URL: process.env.TEST_MONGO_URL, NODE_OPTIONS: place(option) },
    });
    expect(watched.stderr).toMatch(/^mongodb-pool-monitor: watching process \d+: http:/);
  });

  test('pool-page, with types and without the predictor', async () => {
    const { folder, installed } = await install('pool-page');
    const { stdout, stderr } = await runReadme(folder);
    expect({ stdout, stderr }).toEqual({
      stdout: expect.stringMatching(/^1\d checkouts from a pool of 2\n10 requests to \/users\n$/),
      stderr: '',
    });
    expect(await sizeOf(installed)).toBeLessThan(MAX_PAGE_BYTES);
    for (const [entry, name] of [
      ['index', 'createLiveView'],
      ['pool-client', 'PoolClient'],
    ])
      expect(await readFile(path.join(installed, `types/src/${entry}.d.ts`), 'utf8')).toContain(name);
  });

  test('pool-predictor', async () => {
    const { folder } = await install('pool-predictor');
    const { stdout, stderr } = await runReadme(folder);
    expect({ stdout, stderr }).toEqual({
      stdout:
        '1 connections: the slowest request takes 21000 ms\n3 connections: the slowest request takes 7000 ms\n' +
        '10 connections: the slowest request takes 5000 ms\n7 connections are enough\n',
      stderr: '',
    });
  });

  test('gather', async () => {
    const { folder } = await install('gather');
    const { stdout, stderr } = await runReadme(folder);
    expect({ stdout, stderr }).toEqual({
      stdout: '100 documents inserted and found again, the last one: 99\n',
      stderr: '',
    });
  });

  test('oplog-replicator', async () => {
    const { folder } = await install('oplog-replicator');
    const target = await startEmbeddedMongo({ ...readSettings(), report() {} });
    cleanUp(target.stop);
    const env = { SOURCE_URL: String(process.env.TEST_MONGO_URL), TARGET_URL: target.url };
    const [from, to] = [env.SOURCE_URL, env.TARGET_URL].map((url) => new MongoClient(url));
    cleanUp(() => Promise.all([from.close(), to.close()]));
    const child = spawn(process.execPath, ['readme.js'], { cwd: folder, env: { ...process.env, ...env } });
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => {
        said += text;
      });
    await from.db('shop').collection('customers').insertOne({ name: 'Ada' });
    await until(
      'the document is on the target',
      async () => (await to.db('shop').collection('customers').countDocuments()) === 1,
    );
    child.kill('SIGINT');
    await once(child, 'close');
    expect(said).toMatch(/^\d+ operations replicated\n$/);
  });
});

describeInBrowser('the monitor alone', () => {
  test('watches a plain app, and shows its pool on the page', async () => {
    const folder = await scratchFolder();
    const readme = await readFile('packages/pool-monitor/README.md', 'utf8');
    const [pack, watch] = commandsOf(readme);
    await run(`${pack} --pack-destination ${folder}`, { shell: true });
    // The app has its own libraries. The tool is in npm's cache, so it finds none of them, nor anything of this
    // repository.
    const shop = path.join(folder, 'shop');
    await mkdir(path.join(shop, 'node_modules'), { recursive: true });
    await writeFile(path.join(shop, 'app.js'), PLAIN_APP);
    for (const library of ['express', 'mongodb'])
      await symlink(path.resolve('node_modules', library), path.join(shop, 'node_modules', library), 'junction');
    const [port, pagePort] = [await findFreePort(), await findFreePort()];
    const [file, ...words] = watch.replace('./', '../').replace('9000', String(pagePort)).split(' ');
    const watching = spawn(file, words, {
      cwd: shop,
      env: {
        ...process.env,
        ...{ PORT: String(port), MONGO_URL: process.env.TEST_MONGO_URL, npm_config_cache: path.join(folder, 'cache') },
        ...{ npm_config_offline: 'true', npm_config_yes: 'true', npm_config_update_notifier: 'false' },
      },
      stdio: ['ignore', 'ignore', 'pipe'],
      shell: onWindows,
    });
    cleanUp(() => watching.kill('SIGKILL'));
    let said = '';
    watching.stderr.setEncoding('utf8').on('data', (text) => {
      said += text;
    });
    const url = `http://127.0.0.1:${pagePort}/`;
    await until(
      'it says the address',
      () => said.includes(`mongodb-pool-monitor: the pools of this app: ${url}\n`),
      60_000,
    );
    await until('the app answers', () =>
      fetch(`http://127.0.0.1:${port}/orders`).then(
        ({ ok }) => ok,
        () => false,
      ),
    );

    const browser = await launchChromium();
    cleanUp(() => browser.close());
    const tab = await browser.newPage();
    await tab.goto(url);
    await tab.getByText('The only lane is free').first().waitFor();
    await tab.getByText('/orders').first().waitFor();
    // The charts and the predictor came along.
    expect(await tab.evaluate(() => typeof Reflect.get(globalThis, 'uPlot'))).toBe('function');
    expect((await fetch(new URL('pool-predictor/index.js', tab.url()))).status).toBe(200);
    const metrics = await (await fetch(`${url}metrics`)).text();
    expect(metrics).toMatch(
      /^http_server_request_duration_seconds_count\{process_pid="\d+",.*"\/orders".*\} [1-9]\d*$/m,
    );

    // This is npx, which ends by the signal. The command below it notices.
    watching.kill('SIGTERM');
    await until('the app has ended', () =>
      fetch(`http://127.0.0.1:${port}/orders`).then(
        () => false,
        () => true,
      ),
    );
  });
});

test('npm run sbom is a CycloneDX list of all dependencies, and marks those for development', async () => {
  const { stdout } = await run('npm', ['run', 'sbom', '--silent'], { maxBuffer: 2 ** 24, shell: onWindows });
  const { bomFormat, components } = JSON.parse(stdout);
  expect(bomFormat).toBe('CycloneDX');
  const isForDevelopment = Object.fromEntries(
    components.map((/** @type {{ purl: string, properties: { name: string }[] }} */ { purl, properties }) => [
      purl.replace(/^pkg:npm\/|@[^@]+$/g, ''),
      properties.some(({ name }) => name === 'cdx:npm:package:development'),
    ]),
  );
  const manifests = await Promise.all(
    ['package.json', 'lab/package.json', 'packages/pool-page/package.json'].map(async (file) =>
      JSON.parse(await readFile(file, 'utf8')),
    ),
  );
  const declared = manifests.flatMap(({ dependencies }) => Object.keys(dependencies));
  const others = declared.filter((name) => !/^(mongodb-(pool-.+|gather)|oplog-replicator)$/.test(name));
  for (const name of others) expect([name, isForDevelopment[name]]).toEqual([name, false]);
  expect(isForDevelopment.jest).toBe(true);
});
