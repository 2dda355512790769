import path from 'node:path';
import { install } from './install.js';

/** @typedef {{ version: string, file: string }} NodeVersion version: the major one */

const WANTED = ['20', '22', '24'];
const [RUNNING] = process.versions.node.split('.');

/**
 * Find the versions of Node.js to test with: on Linux on x64 there is a package for each, elsewhere only the running one.
 * @returns {Promise<NodeVersion[]>}
 */
export async function findNodeVersions() {
  const running = { version: RUNNING, file: process.execPath };
  const others = WANTED.filter((version) => version !== RUNNING);
  try {
    if (process.platform !== 'linux' || process.arch !== 'x64') throw new Error('there are packages only for Linux on x64');
    const folder = await install('node-versions');
    return [running, ...others.map((version) => ({ version, file: path.join(folder, `node${version}`, 'bin', 'node') }))];
  } catch (error) {
    // In CI, what can be had must be had.
    if (process.env.CI && process.platform === 'linux' && process.arch === 'x64') throw error;
    const { message } = /** @type {Error} */ (error);
    process.stderr.write(`\nLEFT OUT: Node ${others.join(' and ')}, tested with Node ${RUNNING} only: ${message}\n\n`);
    return [running];
  }
}
