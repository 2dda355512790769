import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { startEmbeddedMongo } from '../src/mongo/embedded.js';
import { readSettings } from '../src/settings.js';
import { cleanUp } from './support/cleanup.js';
import { scratchFolder } from './support/scratch-folder.js';
import { until } from './support/until.js';

const run = promisify(execFile);
const onWindows = process.platform === 'win32';
const MAX_MONITOR_BYTES = 200e3;
const MAX_PAGE_BYTES = 2e6;

/**
 * Packs a package, installs the tarball alone in an empty folder, and writes the code of its README there.
 * @param {string} name its folder
 */
async function install(name) {
  const folder = await scratchFolder();
  const npm = (/** @type {string[]} */ ...args) => run('npm', args, { cwd: folder, shell: onWindows });
  await run('npm', ['pack', '-w', `packages/${name}`, '--ignore-scripts=false', '--pack-destination', folder], { shell: onWindows });
  const [tarball] = await readdir(folder);
  const { peerDependencies = {} } = JSON.parse(await readFile(`packages/${name}/package.json`, 'utf8'));
  await writeFile(path.join(folder, 'package.json'), '{ "type": "module" }');
  await npm('install', '--prefer-offline', '--no-audit', '--no-fund', `./${tarball}`, ...Object.keys(peerDependencies));
  const code = (await readFile(`packages/${name}/README.md`, 'utf8')).match(/```js\n([^]*?)```/)?.[1];
  await writeFile(path.join(folder, 'readme.js'), String(code));
  const installed = path.join(folder, 'node_modules', (await readdir(path.join(folder, 'node_modules'))).find((each) => (
    !each.startsWith('.') && !each.startsWith('@') && String(tarball).startsWith(`${each}-0`))) ?? '');
  return { folder, installed };
}

/** @param {string} folder */
function runReadme(folder) {
  return run(process.execPath, ['readme.js'], {
    cwd: folder, env: { ...process.env, MONGO_URL: process.env.TEST_MONGO_URL },
  });
}

/** @param {string} folder @returns {Promise<number>} bytes of all its files */
async function sizeOf(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(files.map(async ({ parentPath, name }) => (await stat(path.join(parentPath, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

describe('a package installed alone does what its README says', () => {
  test('pool-monitor, small and without dependencies', async () => {
    const { folder, installed } = await install('pool-monitor');
    const { stdout, stderr } = await runReadme(folder);
    expect({ stdout, stderr }).toEqual({
      stdout: expect.stringMatching(/^2\d checkouts, \d+ waiting at the peak\np95 of the wait: [\d.]+ ms, longest/), stderr: '',
    });
    const [all, ...ofPage] = await Promise.all(['.', 'page', 'universal'].map((each) => sizeOf(path.join(installed, each))));
    expect(all).toBeLessThan(MAX_PAGE_BYTES);
    expect(all - ofPage[0] - ofPage[1]).toBeLessThan(MAX_MONITOR_BYTES);
    const { dependencies } = JSON.parse(await readFile(path.join(installed, 'package.json'), 'utf8'));
    expect(dependencies).toBeUndefined();
    expect(await readFile(path.join(installed, 'types/index.d.ts'), 'utf8')).toContain('monitorPool');
    expect(await readFile(path.join(installed, 'types/live/index.d.ts'), 'utf8')).toContain('createLiveView');
    expect((await readFile(path.join(installed, 'page/chart.js'), 'utf8')).length).toBeGreaterThan(100_000);
  });

  test('pool-predictor', async () => {
    const { folder } = await install('pool-predictor');
    const { stdout, stderr } = await runReadme(folder);
    expect({ stdout, stderr }).toEqual({
      stdout: '1 connections: the slowest request takes 21000 ms\n3 connections: the slowest request takes 7000 ms\n'
        + '10 connections: the slowest request takes 5000 ms\n7 connections are enough\n',
      stderr: '',
    });
  });

  test('gather', async () => {
    const { folder } = await install('gather');
    const { stdout, stderr } = await runReadme(folder);
    expect({ stdout, stderr }).toEqual({
      stdout: '100 documents inserted and found again, the last one: 99\n', stderr: '',
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
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => { said += text; });
    await from.db('shop').collection('customers').insertOne({ name: 'Ada' });
    await until('the document is on the target', async () => await to.db('shop').collection('customers').countDocuments() === 1);
    child.kill('SIGINT');
    await once(child, 'close');
    expect(said).toMatch(/^\d+ operations replicated\n$/);
  });
});
