import { execFile } from 'node:child_process';
import { copyFile, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { sharedMongoUrl } from 'test-support/mongod.js';
import { runNode } from 'test-support/processes.js';
import { startApp } from '../../lab/harness/app-process.js';
import { commandsOf } from '../support/commands-of.js';
import { createWorkbench } from '../../lab/test/support/workbench.js';

const FILE = 'loadtests/users-and-admins.yaml';

const names = (await readdir('docs')).filter((name) => name.endsWith('.md'));

const pages = await Promise.all(names.map((name) => readFile(path.join('docs', name), 'utf8')));

const commands = pages.flatMap(commandsOf);

test('Artillery accepts the commands and options of scale.md', async () => {
  const text = await readFile('docs/scale.md', 'utf8');
  const lines = commands.flatMap((command) => /^npx artillery (run-.+)/.exec(command)?.[1] ?? []);
  const [, spot, memory] = /`(--spot)`.+`(--memory-size \d+)`/.exec(text) ?? [];
  const inWords = '--subnet-ids a --security-group-ids b --dotenv c';
  for (const option of inWords.match(/--\S+/g) ?? []) expect(text).toContain(option);
  const wrong = ['--regoin eu-west-1', '--region mars', '--count many'];
  const { stdout } = await runNode([
    'test/support/parse-artillery.js',
    JSON.stringify([
      ...lines,
      `run-fargate ${spot} ${inWords} ${FILE}`,
      `run-lambda ${memory} ${inWords} ${FILE}`,
      ...wrong.map((options) => `run-fargate ${options} ${FILE}`),
    ]),
  ]);
  const understood = expect.objectContaining({ args: { script: FILE } });
  expect(lines).toHaveLength(2);
  expect(JSON.parse(stdout)).toEqual([understood, understood, understood, understood, null, null, null]);
});

test('npx finds the command', async () => {
  const { stdout } = await promisify(execFile)('npx pool-lab run', { shell: true });
  expect(stdout).toMatch(/^mixed: /m);
});

test('report compares the results of Artillery load tests', async () => {
  const bench = await createWorkbench({});
  const app = await startApp({ MONGO_URL: sharedMongoUrl(), SLOW_MS: '100' });
  try {
    await bench.run(`npx artillery run --target ${app.url} -e smoke --output pool-10.json loadtests/mixed.yaml`);
    await copyFile(path.join(bench.cwd, 'pool-10.json'), path.join(bench.cwd, 'pool-20.json'));
  } finally {
    await app.stop();
  }
  const [command] = commands.filter((one) => one.includes(' report pool-'));
  const { code, said } = await bench.run(command);
  expect({ code, said }).toEqual({ code: 0, said: expect.stringMatching(/pool-10 +4 .+\npool-20 +4 /) });
  expect(await readFile(path.join(bench.cwd, 'pools.html'), 'utf8')).toContain('Slowest /slow request');
});

test('advise answers the command for a fleet', async () => {
  const bench = await createWorkbench({});
  const [command] = commands.filter((one) => one.includes('--instances'));
  expect(await bench.run(`${command} --seeds 60 --headroom 1`)).toMatchObject({
    code: 0,
    said: expect.stringMatching(/The fleet: 1000 instances x 3 servers .+they fit/s),
  });
});
