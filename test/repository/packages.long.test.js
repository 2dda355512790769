import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { cleanUp, scratchFolder } from 'test-support/cleanup.js';
import { until } from 'test-support/waiting.js';
import { startEmbeddedMongo } from '../../src/mongo/embedded.js';
import { readSettings } from '../../src/settings.js';
import { commandsOf } from '../support/commands-of.js';

const run = promisify(execFile);

const onWindows = process.platform === 'win32';

/**
 * 17 kB of it are for OpenTelemetry: its code, its types, its part of the README; 2 kB make `Server-Timing` cheap, 2 kB
 * list the checkouts that have not ended, 6 kB find out what a clear dropped, and 11 kB know clients by the line that
 * creates them.
 */
const MAX_MONITOR_BYTES = 268e3;

const MAX_PAGE_BYTES = 400e3;

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
  const peers = Object.keys(peerDependencies).filter((peer) => !peerDependenciesMeta[peer]?.optional);
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
  return { folder, installed: path.join(folder, 'node_modules', packageName) };
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
    const { folder, installed } = await install('pool-monitor');
    const { stdout, stderr } = await runReadme(folder);
    expect({ stdout, stderr }).toEqual({
      stdout: expect.stringMatching(/^2\d checkouts, \d+ waiting at the peak\np95 of the wait: [\d.]+ ms, longest/),
      stderr: '',
    });
    expect(await sizeOf(installed)).toBeLessThan(MAX_MONITOR_BYTES);
    const { dependencies } = JSON.parse(await readFile(path.join(installed, 'package.json'), 'utf8'));
    expect(dependencies).toBeUndefined();
    expect(await readFile(path.join(installed, 'types/index.d.ts'), 'utf8')).toContain('monitorPool');
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

    // The install and the option of docs/containers.md.
    const page = await readFile('docs/containers.md', 'utf8');
    const [, command, option] = page.match(/^RUN (npm install .+)\nENV NODE_OPTIONS="(.+)"$/m) ?? [];
    const place = (/** @type {string} */ text) => text.replaceAll('/opt/pool-monitor', `${folder}/opt`);
    const tarballs = command.replaceAll('/tmp/', `${folder}/`);
    await run(`${place(tarballs)} --prefer-offline --no-audit --no-fund`, { shell: true });
    const code =
      "import('mongodb').then(async ({ MongoClient }) => (await new " +
      'MongoClient(process.env.MONGO_URL).connect()).close())';
    const watched = await run(process.execPath, ['-e', code], {
      cwd: folder,
      env: {
        ...process.env,
        MONGO_URL: process.env.TEST_MONGO_URL,
        NODE_OPTIONS: place(option),
      },
    });
    expect(watched.stderr).toMatch(/^mongodb-pool-monitor: watching process \d+: http:/);
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
