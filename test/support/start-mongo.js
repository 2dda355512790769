import { startEmbeddedMongo } from '../../src/mongo/embedded.js';
import { findMongod } from '../../src/mongo/find-mongod.js';
import { readSettings } from '../../src/settings.js';

/** Runs once before all tests, which share one real MongoDB. Jest wants this and stop-mongo.js as default exports. */
// eslint-disable-next-line no-restricted-syntax
export default async function startMongo() {
  const options = { ...readSettings(), report: (/** @type {string} */ line) => process.stderr.write(`${line}\n`) };
  process.env.TEST_CACHE = options.cacheDir;
  process.env.TEST_MONGOD = (await findMongod(options)).file;
  const mongo = await startEmbeddedMongo(options);
  Object.assign(globalThis, { mongo });
  process.env.TEST_MONGO_URL = mongo.url;
}
