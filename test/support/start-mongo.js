import { startEmbeddedMongo } from '../../src/mongo/embedded.js';
import { readSettings } from '../../src/settings.js';

/** Runs once before all tests, which share one real MongoDB. Jest wants this and stop-mongo.js as default exports. */
// eslint-disable-next-line no-restricted-syntax
export default async function startMongo() {
  const mongo = await startEmbeddedMongo({
    ...readSettings(), report: (line) => process.stderr.write(`${line}\n`),
  });
  Object.assign(globalThis, { mongo });
  process.env.TEST_MONGO_URL = mongo.url;
}
