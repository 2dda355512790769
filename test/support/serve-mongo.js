// Child process of a test: starts an embedded MongoDB in its network, prints its URL, and stops it when stdin ends.
import { startEmbeddedMongo } from '../../src/mongo/embedded.js';
import { readSettings } from '../../src/settings.js';

const mongo = await startEmbeddedMongo(readSettings());
process.stdout.write(mongo.url);
process.stdin.resume().once('end', mongo.stop);
