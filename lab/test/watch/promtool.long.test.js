import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import { cleanUp } from 'test-support/cleanup.js';
import { sharedMongoUrl } from 'test-support/mongod.js';
import { findFreePort } from 'test-support/processes.js';
import { until } from 'test-support/waiting.js';
import { serveApp } from '../../../test/support/serve-app.js';
import { openMetrics } from '../../cli/replication-metrics.js';
import { startWatch } from './start-watch.js';

const APP = 'lab/test/watch/app-to-watch.js';

/** `describe` for tests that need promtool. Without it they are skipped with a message, unless CI has installed it. */
const describeWithPromtool = chooseDescribe();

function chooseDescribe() {
  const { error } = spawnSync('promtool', ['--version']);
  if (!error) return describe;
  const problem = "promtool, of Debian's package prometheus, is not on the PATH.";
  if (process.env.PROMTOOL === 'required') throw new Error(problem, { cause: error });
  process.stderr.write(`${problem} Tests with it are skipped.\n`);
  return describe.skip;
}

/**
 * @param {string[]} args
 * @param {string} [input]
 * @returns {{ code: number | null, said: string }}
 */
function runPromtool(args, input) {
  const { status, stdout, stderr } = spawnSync('promtool', args, { input, encoding: 'utf8' });
  return { code: status, said: stdout + stderr };
}

/** @param {string} text of `GET /metrics` */
const checkMetrics = (text) => runPromtool(['check', 'metrics'], text);

const FINE = { code: 0, said: '' };

/** @param {string} url */
async function readText(url) {
  const response = await fetch(url);
  expect(response.status).toBe(200);
  return response.text();
}

describeWithPromtool('Prometheus accepts', () => {
  test('the metrics of the app, and would notice a name that its rules forbid', async () => {
    const url = await serveApp({ MONGO_POOLSIZE: '2' });
    await readText(`${url}/fast`);
    const text = await readText(`${url}/metrics`);
    expect(text).toMatch(/^http_server_request_pool_wait_seconds_count\{.*\/fast.*\} 1$/m);
    expect(checkMetrics(text)).toEqual(FINE);
    const { code, said } = checkMetrics(text.replaceAll('db_client_connections', 'db_client_connection_count'));
    expect({ code, said }).toEqual({ code: 3, said: expect.stringContaining('should not have "_count" suffix') });
  });

  test('what pool-lab watch serves for a process and for a worker thread of another one', async () => {
    const program = `
      const { fork } = require('node:child_process');
      const { Worker } = require('node:worker_threads');
      fork('${APP}');
      new Worker('./${APP}', { stdout: true });
      process.once('SIGTERM', () => process.exit());`;
    const { child, url, isReady, ended } = startWatch(['--', process.execPath, '-e', program]);
    await isReady();
    const text = await until('all have a client', async () => {
      const response = await fetch(`${url()}metrics`);
      const found = await response.text();
      return response.ok && found.match(/^db_client_connection_max\{/gm)?.length === 2 ? found : undefined;
    });
    expect(text).toMatch(/^db_client_connection_max\{process_pid="\d+",db_client_connection_pool_name="[^"]+"\} 3$/m);
    expect(text).toMatch(
      /^db_client_connection_max\{process_pid="\d+",thread_id="\d+",db_client_connection_pool_name="/m,
    );
    expect(checkMetrics(text)).toEqual(FINE);
    child.kill('SIGTERM');
    await ended;
  });

  test('what pool-lab attach serves', async () => {
    // Other tests attach on the usual port.
    const app = spawn(process.execPath, [`--inspect-port=${await findFreePort()}`, APP], {
      env: { ...process.env, APP_MONGO_URL: sharedMongoUrl() },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    cleanUp(() => app.kill());
    const [port] = await once(app.stdout.setEncoding('utf8'), 'data');
    const command = spawn(process.execPath, ['lab/cli.js', 'attach', String(app.pid), '--yes'], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    cleanUp(() => command.kill('SIGKILL'));
    let said = '';
    command.stderr.setEncoding('utf8').on('data', (chunk) => {
      said += chunk;
    });
    const url = await until('it is attached', async () => {
      // The monitor finds a client when it is used.
      await readText(`http://127.0.0.1:${Number(port)}/users/1`);
      return said.match(/Watching process \d+: (\S+)/)?.[1];
    });
    await readText(`http://127.0.0.1:${Number(port)}/users/1`);
    const text = await readText(`${url}metrics`);
    expect(text).toMatch(/^http_server_request_duration_seconds_count\{.*\/users\/:id.*\} \d+$/m);
    expect(checkMetrics(text)).toEqual(FINE);
  });

  test('what pool-lab replicate serves', async () => {
    const figures = /** @type {any} */ ({ batches: 1, bytes: 100, lagMs: 1500, backlog: 3, copy: null });
    const { url, close } = await openMetrics(() => figures, 0);
    cleanUp(close);
    expect(checkMetrics(await readText(`${url}metrics`))).toEqual(FINE);
  });

  test('the alerts and their tests', () => {
    const folder = 'deploy/observability';
    expect(runPromtool(['check', 'config', '--syntax-only', `${folder}/prometheus.yml`])).toMatchObject({ code: 0 });
    expect(runPromtool(['test', 'rules', `${folder}/alerts.test.yml`])).toEqual({
      code: 0,
      said: expect.stringContaining('SUCCESS'),
    });
  });
});
