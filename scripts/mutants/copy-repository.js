import { execFile, execFileSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** @typedef {Awaited<ReturnType<typeof copyRepository>>} Copy */

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const JEST = ['--experimental-vm-modules', 'node_modules/jest/bin/jest.js'];

/**
 * Copies what git knows of the repository to a temporary folder, with links to the installed packages. Files can be
 * changed there while somebody works here.
 *
 * @param {AbortSignal} signal ends what runs in it
 */
export async function copyRepository(signal) {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'pool-lab-copy-'));
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8' });
  for (const file of files.trim().split('\n'))
    await cp(path.join(ROOT, file), path.join(folder, file)).catch(skipDeleted);
  await linkInstalled(folder);

  /** @param {string[]} args of node @param {number} [timeout] in ms @returns {Promise<boolean>} if it exited with 0 */
  const run = (args, timeout) =>
    new Promise((resolve, reject) => {
      execFile(process.execPath, args, { cwd: folder, signal, timeout, maxBuffer: 1e8 }, (error) => {
        if (error?.name === 'AbortError') reject(signal.reason);
        else resolve(error === null);
      });
    });

  return {
    /**
     * Runs the quick tests of a folder, with a MongoDB, until one fails.
     * @param {string} tests folder
     * @param {number} timeoutMs
     * @returns {Promise<boolean>} if they pass in time
     */
    runQuick: (tests, timeoutMs) => run([...JEST, '--bail', '--silent', '--passWithNoTests', tests], timeoutMs),
    /**
     * Runs the quick tests that read a file, until one fails.
     * @param {string} file from the root
     * @param {{ timeoutMs: number, without?: string }} options without: tests whose paths match this
     * @returns {Promise<boolean>} if they pass in time
     */
    runRelated: (file, { timeoutMs, without = '/node_modules/' }) =>
      run(
        [
          ...[...JEST, '--bail', '--silent', '--passWithNoTests', '--testPathIgnorePatterns', without],
          ...['--findRelatedTests', file],
        ],
        timeoutMs,
      ),
    /**
     * @param {string} file from the root
     * @param {(text: string) => string} change
     * @returns {Promise<() => Promise<void>>} takes the change back
     */
    async edit(file, change) {
      const target = path.join(folder, file);
      const text = await readFile(target, 'utf8');
      await writeFile(target, change(text));
      return () => writeFile(target, text);
    },
    remove: () => rm(folder, { recursive: true }),
  };
}

/** @param {NodeJS.ErrnoException} error of a file that git knows and that is not there any more */
function skipDeleted(error) {
  if (error.code !== 'ENOENT') throw error;
}

/** Packages of the repository are those of the copy. @param {string} folder */
async function linkInstalled(folder) {
  const modules = path.join(folder, 'node_modules');
  await mkdir(modules);
  const own = new Map();
  for (const workspace of [
    'lab',
    ...(await readdir(path.join(folder, 'packages'))).map((name) => `packages/${name}`),
  ]) {
    const { name } = JSON.parse(await readFile(path.join(folder, workspace, 'package.json'), 'utf8'));
    own.set(name, path.join(folder, workspace));
  }
  for (const name of await readdir(path.join(ROOT, 'node_modules')))
    await symlink(own.get(name) ?? path.join(ROOT, 'node_modules', name), path.join(modules, name));
}
