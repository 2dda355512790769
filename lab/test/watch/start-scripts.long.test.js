import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { scratchFolder } from 'test-support/cleanup.js';
import { until } from 'test-support/waiting.js';
import { startWatch } from './start-watch.js';

const folder = await scratchFolder();
/** @param {string} name @param {string} text */
async function write(name, text) {
  const file = path.join(folder, name);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, text);
  await chmod(file, 0o755);
  return file;
}

const APP = `
const { MongoClient } = require(${JSON.stringify(path.resolve('node_modules/mongodb'))});
new MongoClient(process.env.APP_MONGO_URL).connect();
require('node:http').createServer().listen(0, '127.0.0.1');`;

test('NODE_OPTIONS of a script, hooks of --require, and pm2 do not get in the way; what does is named', async () => {
  // As ts-node/register does.
  await write(
    'register.cjs',
    `require.extensions['.ts'] = (module, file) =>
      module._compile(require('node:fs').readFileSync(file, 'utf8').replace(': string', ''), file);`,
  );
  await write('app.ts', `const language: string = 'TypeScript';${APP}`);
  await write('ProcessContainer.js', APP);
  await write('alone.cjs', APP);
  const script = `node -r ./register.cjs app.ts &
    NODE_OPTIONS=--max-old-space-size=512 pm_exec_path=/srv/shop.js node ProcessContainer.js &
    NODE_OPTIONS=--no-warnings '${process.execPath}' alone.cjs & wait`;
  const { child, ended, said, url, isReady } = startWatch(['--', 'sh', '-c', script], {}, { cwd: folder });
  await isReady();
  const names = await until('two are watched, and one is named', async () => {
    const { rows } = await (await fetch(`${url()}processes`)).json();
    return (
      said.stderr.includes('pool-lab attach') && rows.length === 2 && rows.map((/** @type {any} */ row) => row.name)
    );
  }).catch(({ message }) => {
    throw new Error(`${message}\n${said.stderr}`);
  });
  expect(names.toSorted()).toEqual([
    expect.stringMatching(/^app\.ts, process \d+$/),
    expect.stringMatching(/^shop\.js, process \d+$/),
  ]);
  expect(said.stderr.match(/^pool-lab: process.+$/gm)).toEqual([
    expect.stringMatching(
      /^pool-lab: process \d+ \(node alone\.cjs\) .+ NODE_OPTIONS=--no-warnings in place of ours: /,
    ),
  ]);
  child.kill('SIGTERM');
  expect(await ended).toEqual([143, null]);
});

test('another runtime behind npm start, and a worker without the driver, are named while the app goes on', async () => {
  // It opens no port.
  const bun = path.join(folder, 'bun');
  await copyFile('/bin/sleep', bun);
  await write('package.json', JSON.stringify({ scripts: { start: `'${bun}' 600` } }));
  await write('worker.cjs', 'setInterval(() => {}, 1000);');
  for (const [command, words] of /** @type {[string[], RegExp][]} */ ([
    [['npm', 'start'], /^pool-lab: Process \d+ is not Node\.js: it runs bun\. .+ -- node app\.js/m],
    [
      ['node', 'worker.cjs'],
      /^pool-lab: process \d+ \(node worker\.cjs\) runs, but no MongoClient has connected .+Prisma/m,
    ],
  ])) {
    const { child, ended, said, url, isReady } = startWatch(['--', ...command], {}, { cwd: folder });
    await isReady();
    await until('it is named', () => words.test(said.stderr));
    const { trouble } = await (await fetch(`${url()}processes`)).json();
    expect(trouble).toMatch(/^Process \d+ /);
    expect(child.exitCode).toBe(null);
    child.kill('SIGTERM');
    expect(await ended).toEqual([143, null]);
  }
});

describe('the script that is called node', () => {
  const WRAPPER = fileURLToPath(new URL('../../harness/node-on-path/node', import.meta.url));
  const OURS = path.dirname(WRAPPER);

  /** @param {(real: string) => string[]} folders of PATH @param {Record<string, string>} [env] */
  async function run(folders, env) {
    const real = path.dirname(await write('real node/node', '#!/bin/sh\necho "$NODE_OPTIONS" "$@"'));
    const { stdout } = await promisify(execFile)(WRAPPER, ['a: b', '*'], {
      cwd: folder,
      env: { PATH: [...folders(real), '/usr/bin', '/bin'].join(':'), ...env },
    });
    return stdout;
  }

  test('adds our option if it is missing, and starts the next node of PATH', async () => {
    const env = { POOL_LAB_NODE_OPTION: '--require="/a b/attach.cjs"' };
    const added = '--require="/a b/attach.cjs" a: b *\n';
    expect(await run((real) => ['/nowhere', OURS, real], env)).toBe(` ${added}`);
    expect(await run((real) => [OURS, real], { ...env, NODE_OPTIONS: '-r x' })).toBe(`-r x ${added}`);
    const kept = { ...env, NODE_OPTIONS: `${env.POOL_LAB_NODE_OPTION} -r x` };
    expect(await run((real) => [OURS, real], kept)).toBe(`${kept.NODE_OPTIONS} a: b *\n`);
  });

  test('never starts itself, wherever it stands on PATH', async () => {
    expect(await run((real) => [OURS, OURS, real])).toBe(' a: b *\n');
    expect(await run((real) => [real])).toBe(' a: b *\n');
    expect(await run((real) => [real, OURS, real])).toBe(' a: b *\n');
  });
});
