import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { cleanUp, scratchFolder } from 'test-support/cleanup.js';
import { findFreePort } from 'test-support/processes.js';
import { until } from 'test-support/waiting.js';
import { AppPort, startWatchedApp } from '../../sweep/start-watched.js';

test('an app that could not be used has ended when that is said', async () => {
  const folder = await scratchFolder();
  const [app, started] = [path.join(folder, 'app.mjs'), path.join(folder, 'started')];
  // It opens no port, and takes its time to end.
  await writeFile(
    app,
    `import { writeFileSync } from 'node:fs';
process.on('SIGTERM', () => setTimeout(process.exit, 300));
setInterval(() => {}, 1000);
writeFileSync(${JSON.stringify(started)}, String(process.pid));`,
  );
  const stop = new AbortController();
  const starting = startWatchedApp(
    { command: [process.execPath, app], target: undefined, startTimeout: 60 },
    { mongoUrl: 'mongodb://127.0.0.1:1/', port: new AppPort(), signal: stop.signal, report: () => {} },
  );
  const pid = Number(await until('the app runs', () => readFile(started, 'utf8').catch(() => '')));
  stop.abort(new Error('stopped'));
  await expect(starting).rejects.toThrow('stopped');
  expect(() => process.kill(pid, 0)).toThrow('ESRCH');
});

const { PORT } = process.env;
cleanUp(() => {
  if (PORT === undefined) delete process.env.PORT;
  else process.env.PORT = PORT;
});

/**
 * Starts an app, and ends it.
 * @param {string[]} command
 * @param {{ port: AppPort, report: (line: string) => void }} run
 */
async function runOnce(command, run) {
  const { signal } = new AbortController();
  const app = await startWatchedApp({ command, startTimeout: 60 }, { mongoUrl: '', signal, poolSize: 1, ...run });
  await app.stop();
  return Number(new URL(app.url).port);
}

test('an app that reads PORT keeps one that is free, where another program has its own', async () => {
  const other = http.createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  cleanUp(() => other.close());
  const taken = /** @type {import('node:net').AddressInfo} */ (other.address()).port;
  process.env.PORT = String(taken);
  /** @type {string[]} */
  const said = [];
  const run = { port: new AppPort(), report: (/** @type {string} */ line) => void said.push(line) };
  const code = "require('http').createServer().listen(Number(process.env.PORT), '127.0.0.1')";
  const ports = [];
  for (let start = 0; start < 2; start++) ports.push(await runOnce([process.execPath, '-e', code], run));
  expect(ports[0]).not.toBe(taken);
  expect(ports[1]).toBe(ports[0]);
  expect(said).toEqual([
    `! Port ${taken} is taken by another program, so an app that reads PORT gets ${ports[0]} from now on.`,
  ]);
});

/** Other shells are replaced by what they run, or there are no signals. */
const onLinux = process.platform === 'linux' ? test : test.skip;

onLinux('an app behind a shell has ended by itself before it is started again, on the same port', async () => {
  const folder = await scratchFolder();
  const [file, log] = [path.join(folder, 'app.mjs'), path.join(folder, 'log')];
  // The shell does not wait for its end. Whatever ends with the shell does not get as far as the last line.
  await writeFile(
    file,
    `import { appendFileSync } from 'node:fs';
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
const say = (word) => appendFileSync(${JSON.stringify(log)}, word + ' ');
const shell = process.ppid;
http.createServer().listen(Number(process.env.PORT), '127.0.0.1', () => say('listens'));
process.once('SIGTERM', async () => {
  say('SIGTERM');
  while (process.ppid === shell) await sleep(5);
  await sleep(300);
  say('ended');
  process.exit();
});`,
  );
  process.env.PORT = String(await findFreePort());
  /** @type {string[]} */
  const said = [];
  const run = { port: new AppPort(), report: (/** @type {string} */ line) => void said.push(line) };
  for (let start = 0; start < 2; start++)
    expect(await runOnce(['sh', '-c', `'${process.execPath}' '${file}'; :`], run)).toBe(Number(process.env.PORT));
  expect(said).toEqual([]);
  expect(await readFile(log, 'utf8')).toBe('listens SIGTERM ended '.repeat(2));
});
