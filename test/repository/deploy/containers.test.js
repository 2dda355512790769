import { createRequire } from 'node:module';
import os from 'node:os';
import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { sharedMongoUrl } from 'test-support/mongod.js';
import { findFreePort, runNode } from 'test-support/processes.js';
import { until } from 'test-support/waiting.js';

const page = await readFile('docs/containers.md', 'utf8');
const [patch, prometheus] = [...page.matchAll(/^```yaml\n(.+?)^```/gms)].map(([, text]) => parse(text));
const [, option] = page.match(/^ENV NODE_OPTIONS="(.+)"$/m) ?? [];
const [, command] = page.match(/^(docker run .+)$/m) ?? [];
const { containers, initContainers, volumes } = patch.spec.template.spec;
const [container] = containers;
const { version } = JSON.parse(await readFile('package.json', 'utf8'));
const attach = /(?<==)\/\S+attach\.cjs$/;
const TOKEN = 'a-token-of-16-ch';
/** Asks for a document, and ends when it is killed. */
const APP = `import(${JSON.stringify(import.meta.resolve('mongodb'))}).then(async ({ MongoClient }) => {
  const client = await new MongoClient(${JSON.stringify(sharedMongoUrl())}, { appName: 'shop' }).connect();
  await client.db('shop').collection('orders').findOne({});
  process.stdin.resume();
})`;

test('docker run: a published port reaches the monitor, with the token, as Prometheus sends it', async () => {
  const settings = Object.fromEntries(
    [...command.matchAll(/--env (\w+)=(\S+)/g)].map(([, name, value]) => [name, value]),
  );
  expect(command).toContain(`--publish 127.0.0.1:${settings.POOL_MONITOR_PORT}:${settings.POOL_MONITOR_PORT} `);
  expect(prometheus.scrape_configs[0].static_configs[0].targets).toEqual([`shop:${settings.POOL_MONITOR_PORT}`]);
  expect(Object.keys(prometheus.scrape_configs[0].authorization)).toEqual(['credentials_file']);
  const port = String(await findFreePort());
  const env = {
    ...settings,
    POOL_MONITOR_PORT: port,
    POOL_MONITOR_TOKEN: TOKEN,
    NODE_OPTIONS: option.replace(attach, createRequire(import.meta.url).resolve('mongodb-pool-monitor/attach')),
  };
  /** @type {import('node:child_process').ChildProcess | undefined} */
  let app;
  const ended = runNode(['-e', APP], { env, cwd: os.tmpdir(), onStart: (child) => (app = child) });
  const ask = (/** @type {Record<string, string>} */ headers) =>
    fetch(`http://127.0.0.1:${port}/metrics`, { headers }).catch(() => undefined);
  try {
    const refused = await until('the monitor answers', () => ask({}));
    expect(refused.status).toBe(401);
    const metrics = await (await ask({ Authorization: `Bearer ${TOKEN}` }))?.text();
    expect(metrics).toMatch(/^db_client_connection_max\{db_client_connection_pool_name=".+shop"\} 100$/m);
  } finally {
    app?.kill();
  }
  expect((await ended).stderr).toContain(`: http://0.0.0.0:${port}/\n`);
});

test('the patch fits a Deployment, loads the same file, and its port is forwarded', async () => {
  const schema = JSON.parse(await readFile('test/support/kubernetes-schema.json', 'utf8'));
  const ajv = new Ajv({ strict: false, allErrors: true }).addSchema(schema, 'kubernetes');
  const validate = ajv.compile({ $ref: 'kubernetes#/$defs/io.k8s.api.apps.v1.Deployment' });
  const deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'shop' },
    spec: {
      selector: { matchLabels: { app: 'shop' } },
      template: { ...patch.spec.template, metadata: { labels: { app: 'shop' } } },
    },
  };
  validate(deployment);
  expect(validate.errors).toBeNull();
  expect(initContainers[0].image).toBe(`pool-monitor:${version}`);
  const mounts = [...initContainers, ...containers].map(({ volumeMounts }) => volumeMounts[0]);
  expect(mounts.map(({ name }) => name)).toEqual([volumes[0].name, volumes[0].name]);
  expect(initContainers[0].command.at(-1)).toBe(mounts[0].mountPath);
  expect(option).toContain(`=${mounts[1].mountPath}/node_modules/`);
  const env = Object.fromEntries(container.env.map((/** @type {any} */ { name, value }) => [name, value]));
  expect(env).toEqual({ NODE_OPTIONS: option, POOL_MONITOR_PORT: '9000' });
  expect(page).toMatch(
    new RegExp(`^kubectl port-forward \\S+ ${env.POOL_MONITOR_PORT}:${env.POOL_MONITOR_PORT}$`, 'm'),
  );
});
