import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, cp, mkdir, mkdtemp, readFile, rename, rm, symlink } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const FILES = ['package.json', 'package-lock.json'];
const IS_WINDOWS = process.platform === 'win32';

/**
 * Installs one of the folders beside this file into the cache, unless it is there. These libraries are too many and too
 * old to be dependencies of the project.
 * @param {'drivers' | 'libraries' | 'next' | 'node-versions' | 'shapes' | 'start-scripts' |
 *   'tracers'} name
 * @returns {Promise<string>} the path of its node_modules
 */
export async function install(name) {
  const lock = await readFile(path.join(HERE, name, 'package-lock.json'));
  // The project's own tests keep the libraries beside the downloaded mongod.
  const cacheFolder = process.env.TEST_CACHE || path.join(os.tmpdir(), 'pool-lab-test-cache');
  const target = path.join(
    cacheFolder,
    `attach-${name}-${createHash('sha256').update(lock).digest('hex').slice(0, 12)}`,
  );
  if (!existsSync(target)) {
    await mkdir(cacheFolder, { recursive: true });
    const folder = await mkdtemp(`${target}-`);
    try {
      for (const file of FILES) await copyFile(path.join(HERE, name, file), path.join(folder, file));
      // The compilers of both are optional packages for each system.
      const leftOut = name === 'next' || name === 'start-scripts' ? [] : ['--omit=optional'];
      await promisify(execFile)('npm', ['ci', ...leftOut, '--ignore-scripts', '--no-audit', '--no-fund'], {
        cwd: folder,
        shell: IS_WINDOWS,
      });
      await rename(folder, target).catch((error) => {
        // Another process was faster.
        if (!existsSync(target)) throw error;
      });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
  return path.join(target, 'node_modules');
}

/**
 * Copies apps to a folder where they find the libraries.
 * @param {string} apps folder
 * @param {string} target an empty folder
 */
export async function copyApps(apps, target) {
  await cp(apps, target, { recursive: true });
  await symlink(await install('libraries'), path.join(target, 'node_modules'), 'junction');
}

/** @typedef {{ version: string, file: string }} NodeVersion version: the major one */

const WANTED = ['20', '22', '24'];
const [RUNNING] = process.versions.node.split('.');

/**
 * Finds the versions of Node.js to test with: on Linux on x64 there is a package for each, elsewhere only the running
 * one.
 * @returns {Promise<NodeVersion[]>}
 */
export async function findNodeVersions() {
  const running = { version: RUNNING, file: process.execPath };
  const others = WANTED.filter((version) => version !== RUNNING);
  try {
    if (process.platform !== 'linux' || process.arch !== 'x64')
      throw new Error('there are packages only for Linux on x64');
    const folder = await install('node-versions');
    return [
      running,
      ...others.map((version) => ({ version, file: path.join(folder, `node${version}`, 'bin', 'node') })),
    ];
  } catch (error) {
    // In CI, what can be had must be had.
    if (process.env.CI && process.platform === 'linux' && process.arch === 'x64') throw error;
    const { message } = /** @type {Error} */ (error);
    process.stderr.write(`\nLEFT OUT: Node ${others.join(' and ')}, tested with Node ${RUNNING} only: ${message}\n\n`);
    return [running];
  }
}
