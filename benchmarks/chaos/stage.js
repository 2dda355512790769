import { MongoClient } from 'mongodb';
import { startApp } from './app.js';
import { NAMED } from './gauges.js';
import { createMongod } from './mongod.js';

/**
 * An app over a mongod that nothing happens to.
 * @template T
 * @param {Record<string, string>} settings
 * @param {(stage: { app: Awaited<ReturnType<typeof startApp>>, admins: MongoClient[] }) => Promise<T>} work
 */
export async function withApp(settings, work) {
  const mongod = await createMongod();
  await mongod.start();
  const admins = [await MongoClient.connect(mongod.url)];
  const app = await startApp({ ...NAMED, MONGO_URL: mongod.url, ...settings });
  try {
    return await work({ app, admins });
  } finally {
    await app.stop();
    await admins[0].close();
    await mongod.remove();
  }
}
