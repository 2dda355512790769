import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, cp, mkdir, mkdtemp, readFile, rename, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { readSettings } from '../../src/settings.js';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const FILES = ['package.json', 'package-lock.json'];
const IS_WINDOWS = process.platform === 'win32';

/**
 * Install one of the folders beside this file into the cache, unless it is there. These libraries are too many and too
 * old to be dependencies of the project.
 * @param {'libraries' | 'node-versions'} name
 * @returns {Promise<string>} the path of its node_modules
 */
export async function install(name) {
  const lock = await readFile(path.join(HERE, name, 'package-lock.json'));
  const { cacheDir } = readSettings();
  const target = path.join(cacheDir, `attach-${name}-${createHash('sha256').update(lock).digest('hex').slice(0, 12)}`);
  if (!existsSync(target)) {
    await mkdir(cacheDir, { recursive: true });
    const folder = await mkdtemp(`${target}-`);
    try {
      for (const file of FILES) await copyFile(path.join(HERE, name, file), path.join(folder, file));
      await promisify(execFile)('npm', ['ci', '--omit=optional', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder, shell: IS_WINDOWS });
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
 * Copy apps to a folder where they find the libraries.
 * @param {string} apps folder
 * @param {string} target an empty folder
 */
export async function copyApps(apps, target) {
  await cp(apps, target, { recursive: true });
  await symlink(await install('libraries'), path.join(target, 'node_modules'), 'junction');
}
