import { cp, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { scratchFolder } from 'test-support/cleanup.js';
import { findNodeVersions, install } from 'test-support/installations.js';
import { sharedMongoUrl } from 'test-support/mongod.js';
import { findFreePort } from 'test-support/processes.js';
import { until, untilProcess } from 'test-support/waiting.js';
import { listTree, readProcess } from '../../../src/process/process-info.js';
import { startWatch } from './start-watch.js';

/** Much longer than anything takes on a busy machine. */
const PATIENCE_MS = 60_000;
const folder = await scratchFolder();
await cp(fileURLToPath(new URL('start-scripts', import.meta.url)), folder, { recursive: true });
await symlink(await install('start-scripts'), path.join(folder, 'node_modules'), 'junction');
const source = await readFile(path.join(folder, 'server.ts'), 'utf8');
await writeFile(path.join(folder, 'server.mts'), source);
await writeFile(path.join(folder, 'server.babel.js'), source.replace(': string', ''));
await writeFile(path.join(folder, '.env'), `MONGODB_URI=${sharedMongoUrl()}\n`);
const { scripts } = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8'));

/**
 * @typedef {object} Shape
 * @property {string[]} command
 * @property {number} [processes] that have a client
 * @property {boolean} [isTold] whether it can't be watched, and says so
 */
/** @type {[string, Shape][]} */
const SHAPES = Object.entries({
  ...Object.fromEntries(Object.keys(scripts).map((name) => [name, { command: ['npm', 'run', '--silent', name] }])),
  pm2: { command: ['npm', 'run', '--silent', 'pm2'], processes: 2 },
  'no environment': { command: ['npm', 'run', '--silent', 'no environment'], isTold: true },
  yarn: { command: ['yarn', '--silent', 'run', 'ts-node'] },
  // Yarn 1 puts a script called `node` before ours.
  'yarn, its own NODE_OPTIONS': { command: ['yarn', '--silent', 'run', 'cross-env'], isTold: true },
  'yarn, kept NODE_OPTIONS': { command: ['yarn', '--silent', 'run', 'kept NODE_OPTIONS'] },
  pnpm: { command: ['pnpm', 'run', 'cross-env'] },
  'a shell script': { command: ['sh', '-c', 'node server.cjs & wait'] },
});
const versions = await findNodeVersions();
const RUNS = versions.flatMap(({ version, file }) =>
  SHAPES.map(([name, shape]) => ({ version, file, name, ...shape })),
);

test.each(RUNS)(
  'Node $version, $name: the app answers, is watched or says why not, and ends with one signal',
  async ({ file, command, processes = 1, isTold = false }) => {
    const port = await findFreePort();
    const folders = [path.dirname(file), path.join(folder, 'node_modules', '.bin'), process.env.PATH];
    const { child, ended, said, url, isReady } = startWatch(
      ['--', ...command],
      {
        NODE_OPTIONS: undefined,
        PATH: folders.join(path.delimiter),
        MONGODB_URI: /dotenv|env-file/.test(command.join()) ? undefined : sharedMongoUrl(),
        PM2_HOME: await scratchFolder(),
        PORT: String(port),
      },
      { cwd: folder },
    );
    /** @param {string} what @param {() => Promise<any>} probe */
    const hear = (what, probe) => untilProcess(what, probe, { child, said, withinMs: PATIENCE_MS });
    await isReady();
    const request = async () => (await fetch(`http://127.0.0.1:${port}/users/7`).catch(() => null))?.ok;
    await hear('the app answers', request);
    const page = await hear('something is known', async () => {
      await request();
      const found = await (await fetch(`${url()}processes`)).json();
      return (found.rows.length === processes || (isTold && found.trouble !== '')) && found;
    });
    const { rows, trouble } = page;
    expect(trouble).toMatch(isTold ? new RegExp(`listens on port ${port}, .+ pool-lab attach \\d+\\.$`) : /^$/);
    for (const row of rows) expect(row.name).toMatch(/^server\.(cjs|ts|mts|babel\.js), process \d+$/);
    if (!isTold)
      await hear('its route is seen', async () => {
        await request();
        const answers = await Promise.all(
          rows.map((/** @type {any} */ row) => fetch(`${row.url}/pool/checkouts`).then((answer) => answer.json())),
        );
        return answers.some(({ checkouts }) =>
          checkouts.some((/** @type {any} */ each) => each.route === '/users/:id'),
        );
      });

    // Neither an error of the monitor, nor a warning that the app alone would not cause.
    expect(said.stderr).not.toMatch(/mongodb-pool-monitor|ExperimentalWarning: CommonJS/);

    const started = listTree(Number(child.pid));
    child.kill('SIGTERM');
    await ended;
    await until('nothing is left', () => started.every((pid) => !readProcess(pid)), PATIENCE_MS);
  },
);
