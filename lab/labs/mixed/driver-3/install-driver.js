import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { inScratchFolder } from '../../../../src/process/temp-folder.js';

/** @import { Context } from '../../../harness/run-lab.js' */

/** The app's routes on the driver of 2020. Its argument is the driver's folder. */
export const DRIVER_3_APP = fileURLToPath(new URL('./driver-3-app.js', import.meta.url));

const VERSION = '3.4.0';
/** What belongs to it is pinned. */
const FILES = ['package.json', 'package-lock.json'];
/** Without a network, npm would try again for a minute. */
const OPTIONS = ['--omit=optional', '--ignore-scripts', '--no-audit', '--no-fund', '--fetch-retries=0'];
const IS_WINDOWS = process.platform === 'win32';

/**
 * Installs the driver of 2020 into the cache folder, unless it is there. It is too old to be a dependency of the
 * project.
 * @param {Pick<Context, 'settings' | 'report' | 'signal'>} context
 * @returns {Promise<string>} its folder
 * @throws {Error} if npm can't install it
 */
export async function installDriver({ settings: { cacheDir }, report, signal }) {
  const target = path.join(cacheDir, `mongodb-driver-${VERSION}`);
  if (existsSync(target)) return target;
  report(`Installing version ${VERSION} of the driver (once; later runs use the cached copy) …`);
  try {
    await inScratchFolder(target, async (folder) => {
      const installed = path.join(folder, 'driver');
      await mkdir(installed);
      for (const file of FILES) await copyFile(new URL(file, import.meta.url), path.join(installed, file));
      await promisify(execFile)('npm', ['ci', ...OPTIONS], { cwd: installed, shell: IS_WINDOWS, signal });
      return installed;
    });
  } catch (cause) {
    signal.throwIfAborted();
    // Another run may have been faster.
    if (existsSync(target)) return target;
    const { stderr = '', message } = /** @type {Error & { stderr?: string }} */ (cause);
    const [, why = message] = stderr.match(/^npm (?:error|ERR!) code (.+)/m) ?? [];
    throw new Error(`--driver 3 needs mongodb ${VERSION}, and npm can't install it in ${cacheDir}: ${why}`, { cause });
  }
  return target;
}
