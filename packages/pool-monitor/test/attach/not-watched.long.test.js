import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { scratchFolder } from 'test-support/cleanup.js';
import { sharedMongoUrl } from 'test-support/mongod.js';
import { runNode } from 'test-support/processes.js';

const ATTACH = ['--import', import.meta.resolve('../../src/attach/attach.js')];
const env = { MONGODB_URI: sharedMongoUrl(), NODE_OPTIONS: '' };
const folder = await scratchFolder();

/** @param {string} name @param {string} code */
async function write(name, code) {
  const file = path.join(folder, name);
  await writeFile(file, code);
  return file;
}

test.concurrent('a client in a minified bundle is found by its shape', async () => {
  const driver = JSON.stringify(path.resolve('node_modules/mongodb'));
  const app = await write(
    'app.cjs',
    `const { MongoClient } = require(${driver});
    const client = new MongoClient(process.env.MONGODB_URI, { appName: 'bundled' });
    client.db('x').collection('y').findOne({}).then(async () => {
      process.stdout.write(client.constructor.name);
      await client.close();
    });`,
  );
  const bundle = path.join(folder, 'bundle.cjs');
  const options = ['--bundle', '--minify', '--platform=node', `--outfile=${bundle}`];
  await runNode([path.resolve('node_modules/esbuild/bin/esbuild'), app, ...options]);
  const { code, stdout, stderr } = await runNode([...ATTACH, bundle], { env });
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: expect.stringMatching(/^mongodb-pool-monitor: watching process \d+: http:\S+\n$/),
  });
  // Otherwise it would prove less than it says.
  expect(stdout).not.toBe('MongoClient');
});

test.concurrent('whoever talks to MongoDB without a client that can be found is told', async () => {
  const app = await write(
    'raw.cjs',
    `const { port } = new URL(process.env.MONGODB_URI);
    for (let count = 0; count < 2; count += 1) require('node:net').connect(port, '127.0.0.1');
    setInterval(() => {}, 60_000);`,
  );
  const { stderr } = await runNode([...ATTACH, app], {
    env,
    onStart: (child) => child.stderr?.once('data', () => child.kill()),
  });
  expect(stderr).toMatch(
    /^mongodb-pool-monitor: process \d+ is not watched: sockets to port \d+, but no client found\. A bundle must .+\n$/,
  );
});

test.concurrent('an app whose Node.js cannot load the monitor runs without it, and says so', async () => {
  const options = ['--no-experimental-require-module', '--require', 'mongodb-pool-monitor/attach'];
  expect(await runNode([...options, '-e', 'console.log(process.emitWarning.name)'], { env })).toEqual({
    code: 0,
    stdout: 'emitWarning\n',
    stderr: expect.stringMatching(
      /^mongodb-pool-monitor: Node\.js v\S+ can't load it\. It needs .+\. Nothing is watched\n$/,
    ),
  });
});
