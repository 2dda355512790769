import { realMongod, spawnReplicaSet } from './mongod.js';

/** Runs once before all tests, which share one MongoDB. Jest wants this and stop-shared-mongo.js as default exports. */
// eslint-disable-next-line no-restricted-syntax
export default async function startSharedMongo() {
  process.env.TEST_MONGOD = realMongod();
  const mongo = await spawnReplicaSet();
  Object.assign(globalThis, { mongo });
  process.env.TEST_MONGO_URL = mongo.url;
}
