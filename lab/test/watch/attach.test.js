import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from '@jest/globals';
import { cleanUp } from 'test-support/cleanup.js';
import { findFreePort } from 'test-support/processes.js';
import { until } from 'test-support/waiting.js';
import { runCli } from '../support/run-cli.js';

/**
 * A process that has no inspector yet. Others may be using its usual port.
 * @param {string[]} args
 */
async function startProcess(...args) {
  const port = await findFreePort();
  const child = spawn(process.execPath, [`--inspect-port=${port}`, ...args], {
    env: { ...process.env, APP_IS_IDLE: 'yes', APP_MONGO_URL: 'mongodb://127.0.0.1:1' },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  cleanUp(() => child.kill('SIGKILL'));
  const [line] = await once(child.stdout.setEncoding('utf8'), 'data');
  return { pid: Number(child.pid), child, line: String(line), inspector: `http://127.0.0.1:${port}/json/list` };
}

/** @param {string} url */
const answers = (url) =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );

test('it says what it will do before it asks, and shows no password of the process', async () => {
  const { pid, inspector } = await startProcess(
    '-e',
    'process.stdin.resume(); console.log(1)',
    'mongodb://app:S3cretPw@host/shop',
    'app:S3cretPw@host',
    '--db-password',
    'S3cretPw',
  );
  const { code, stderr } = await runCli(['attach', String(pid)]);
  const words = stderr.replaceAll(/\s+/g, ' ');
  expect({ code, words }).toEqual({ code: 1, words: expect.stringContaining('by sending it SIGUSR1') });
  expect(words).toContain('console.log(1) mongodb://***@host/shop ***@host --db-password ***');
  expect(words).not.toContain('S3cretPw');
  expect(await answers(inspector)).toBe(false);
});

test('a command that is killed while it attaches leaves no open inspector', async () => {
  const { pid, line, inspector } = await startProcess('lab/test/watch/app-to-watch.js');
  const attach = spawn(process.execPath, ['lab/cli.js', 'attach', String(pid), '--yes'], { stdio: 'ignore' });
  const state = `http://127.0.0.1:${Number(line)}/state`;
  await until('it waits for a client', async () => (await (await fetch(state)).json()).traces.follows);
  expect(await answers(inspector)).toBe(true);
  attach.kill('SIGKILL');
  await until('the inspector is closed', async () => !(await answers(inspector)));
  expect(await answers(state)).toBe(true);
});

test('a Node.js that is too old goes on as before', async () => {
  const { pid, child, inspector } = await startProcess(
    '-e',
    'process.getBuiltinModule = undefined; process.stdin.on("data", () => console.log("still here")); console.log(1)',
  );
  const { code, stderr } = await runCli(['attach', String(pid), '--yes']);
  expect({ code, last: stderr.split('\n').at(-2) }).toEqual({
    code: 1,
    last: `Process ${pid} runs Node.js ${process.version}. It needs Node.js 20.19, 22.12 or later`,
  });
  expect(await answers(inspector)).toBe(false);
  child.stdin.write('hello');
  expect(await once(child.stdout, 'data')).toEqual(['still here\n']);
});
