import { cp, mkdir, readdir, readFile, realpath, symlink } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { sharedMongoUrl } from 'test-support/mongod.js';
import { listReached } from './support/list-reached.js';
import { scratchFolder } from 'test-support/cleanup.js';
import { startApp } from './support/start-app.js';

const SERVER = 'src/server.js';
const { dependencies } = JSON.parse(await readFile('package.json', 'utf8'));
const dockerfile = await readFile('Dockerfile', 'utf8');

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
  for (const part of ['src', 'packages', 'package.json']) await cp(part, path.join(folder, part), { recursive: true });
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
    const { packages } = await listReached(SERVER);
    expect(packages).toContain('express');
    expect(packages).not.toContain('artillery');
    expect(packages).not.toContain('mongodb-pool-predictor');
    // The page's charts are served from this one's folder.
    server = path.join(await copyApp([...packages, 'chart.js']), SERVER);
  });

  test('runs, and says that load tests and predictions are not installed', async () => {
    const app = startApp({ MONGO_URL: sharedMongoUrl() }, { server, cwd: path.dirname(server) });
    const url = await app.url;
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    expect((await fetch(`${url}/fast`)).status).toBe(200);
    expect(await (await fetch(`${url}/pool`)).json()).toMatchObject({
      features: { loadTests: false, predictions: false },
    });
    const answer = await fetch(`${url}/control/load-test`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Origin: url },
      body: '{}',
    });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      501,
      'application/problem+json; charset=utf-8',
    ]);
    expect(await answer.json()).toEqual({
      type: 'about:blank',
      status: 501,
      title: 'Load tests are not installed',
      detail: 'load tests need Artillery: run npm install artillery, then start the app again',
    });
    app.child.disconnect();
    expect(await app.ended).toMatchObject({ code: 0, stderr: '' });
  });

  test('shows its help', async () => {
    const { code, stdout, stderr } = await startApp({}, { server, cwd: path.dirname(server), args: ['--help'] }).ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^npm start: the demo app/);
  });
});

describe('the Docker image', () => {
  const copied = [...dockerfile.matchAll(/^COPY (.+) \S+$/gm)].flatMap(([, files]) => files.split(' '));

  test('has the files that the app needs, and no package that it does not reach', async () => {
    const { files, packages } = await listReached(SERVER, { onDemand: true });
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
    const { packages } = await listReached(SERVER, { onDemand: true });
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
