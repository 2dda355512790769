import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { cleanUp } from 'test-support/cleanup.js';
import { checkRun } from './check-app.js';
import { prepare } from './attached-app.js';

const { folder, monitor, server, versions } = await prepare();

const LIBRARIES = {
  'mongodb 4': ['mongodb4'],
  'mongodb 5': ['mongodb5'],
  'mongodb 6.10': ['mongodb6.10'],
  'mongodb 6': ['mongodb6'],
  'mongodb 7': ['mongodb'],
  'mongoose 6': ['mongoose6'],
  'mongoose 8': ['mongoose8'],
  'mongoose 9': ['mongoose'],
  'mongodb 6 and 7': ['mongodb6', 'mongodb'],
};
const entries = versions.flatMap(({ version, file: node }) =>
  ['mjs', 'cjs'].map((kind) => ({
    name: `Node ${version}, ${kind}`,
    node,
    kind,
    entry: path.join(folder, `entry.${kind}`),
  })),
);

describe('all clients are seen, and their gauges are true after 1000 disturbed operations', () => {
  const apps = entries.flatMap(({ name, ...entry }) =>
    Object.entries(LIBRARIES).map(([used, libraries]) => ({ name: `${name}, ${used}`, libraries, ...entry })),
  );

  test.concurrent.each(apps)('$name', async ({ name, node, entry, libraries }) => {
    await checkRun({
      server,
      name,
      node,
      args: [...monitor, entry, ...libraries],
      clients: 2 * libraries.length,
      onEnd: cleanUp,
    });
  });

  test.concurrent.each(entries)('$name, mongodb 7 with OpenTelemetry', async ({ name, node, kind, entry }) => {
    const otel = ['--import', pathToFileURL(path.join(folder, 'otel.mjs')).href];
    // In either order.
    const flags = kind === 'mjs' ? [...otel, ...monitor] : [...monitor, ...otel];
    const { spans } = await checkRun({
      server,
      name: `${name}, OTel`,
      node,
      args: [...flags, entry, 'mongodb'],
      onEnd: cleanUp,
    });
    expect(spans).toBeGreaterThan(500);
  });
});
