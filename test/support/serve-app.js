import { createApp } from '../../src/app.js';
import { listen } from '../../src/listen.js';
import { createLogger } from '../../src/logger.js';
import { connectClient, createClient } from '../../src/mongo/client.js';
import { customersOf, seedCustomers } from '../../src/mongo/data.js';
import { watchReadiness } from '../../src/mongo/readiness.js';
import { createSlowQuery } from '../../src/mongo/slow-query.js';
import { cleanUp } from './cleanup.js';
import { sharedMongoUrl } from './environment.js';

/**
 * Serve the app from this process, on any free port, over the MongoDB that all tests share. It closes with the
 * test file.
 *
 * @param {Partial<import('../../src/app.js').Parts & import('../../src/settings.js').Settings>} [options]
 * @returns {Promise<string>} its URL
 */
export async function serveApp({ mongoUrl = sharedMongoUrl(), slowMs = 300, ...options } = {}) {
  const client = createClient(mongoUrl, { serverSelectionTimeoutMs: 5000, ...options });
  cleanUp(() => client.close());
  const isReady = watchReadiness(client);
  const serverVersion = await connectClient(client);
  await seedCustomers(client);
  const runSlowQuery = createSlowQuery(client);
  await runSlowQuery(1);
  const app = createApp({
    client, customers: customersOf(client), runSlowQuery, slowMs, isReady, serverVersion, log: createLogger('silent'),
    ...options,
  });
  const { url, close } = await listen(app, { host: '127.0.0.1', port: 0 });
  cleanUp(close);
  return url;
}
