import { fileURLToPath } from 'node:url';
import { scratchFolder } from 'test-support/cleanup.js';
import { copyApps, findNodeVersions } from 'test-support/installations.js';
import { startServer } from './server-truth.js';

/**
 * What each test of the monitor beside an app needs: the app, a server, versions of Node.js, and the flags of the
 * monitor.
 */
export async function prepare() {
  const versions = await findNodeVersions();
  const folder = await scratchFolder();
  await copyApps(fileURLToPath(new URL('app', import.meta.url)), folder);
  const server = await startServer();
  return { folder, monitor: ['--import', 'mongodb-pool-monitor/attach'], server, versions };
}
