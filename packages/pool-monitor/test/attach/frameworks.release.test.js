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
      // Its body can be read only once, and that is for the app.
      hono: [...usual.slice(0, 3), 'POST /graphql'],
      honoWithSockets: [...usual.slice(0, 3), 'POST /graphql'],
      'tRPC, standalone': listCalls('/', '/:id', '(not found)'),
      'tRPC, express': listCalls('/api/trpc/', '/api/trpc/:id', '(not found)'),
      // It asks for the input first.
      'tRPC, express10': listCalls('/api/trpc/', '/api/trpc/:id', '/api/trpc/:id'),
      'tRPC, fastify': listCalls('/rpc/', '/rpc/:path', '(not found)'),
      'tRPC, hono': listCalls('/rpc/', '/rpc/*', '(not found)'),
      'socket.io': ['/socket.io/', 'POST /socket.io/'],
    });
  },
);

/**
 * Lists what the calls of tRPC are called.
 * @param {string} at their path
 * @param {string} mixed a batch with a procedure that does not exist
 * @param {string} malformed a batch without input
 */
function listCalls(at, mixed, malformed) {
  return [`${at}user.byName`, `POST ${at}user.save`, `${at}posts,user.byName`, '(not found)', mixed, malformed];
}
