import { fileURLToPath } from 'node:url';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { scratchFolder } from 'test-support/cleanup.js';
import { copyApps, findNodeVersions } from 'test-support/installations.js';
import { runNode } from 'test-support/processes.js';

const folder = await scratchFolder();
await copyApps(fileURLToPath(new URL('app', import.meta.url)), folder);
const source = fileURLToPath(new URL('../../src', import.meta.url));

test.each(await findNodeVersions())(
  'Node $version: requests have the names of the routes that the framework found',
  async ({ file: node }) => {
    const { stdout, stderr } = await runNode([path.join(folder, 'frameworks.mjs'), source], { node });
    // Without a warning, such as that of a property that a framework is about to remove.
    expect(stderr).toBe('');
    const usual = ['/users/:name', '/mail/:to', '(not found)', 'POST /graphql GetUser'];
    expect(JSON.parse(stdout)).toEqual({
      koa: usual,
      hapi: ['/users/{name}', '/mail/{to}', '(not found)', 'POST /graphql GetUser'],
      fastify3: usual,
      fastify4: usual,
      fastify5: usual,
    });
  },
);
