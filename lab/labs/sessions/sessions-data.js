import { randomBytes } from 'node:crypto';
import { DATABASE } from '../../../src/mongo/demo-data.js';

const CIPHERS = 1000;
const TYPES = 10;
/** One for each process, so that two runs at the same time don't delete each other's data. */
const COLLECTION = `cipher_texts_${process.pid}`;

/**
 * @typedef {{ type: string, name: string, cipherText: string, createdAt: Date }} Cipher as the article's, whose key
 *   types they stand for
 */

/** @param {import('mongodb').MongoClient} client @returns {import('mongodb').Collection<Cipher>} */
function ciphersOf(client) {
  return client.db(DATABASE).collection(COLLECTION);
}

/** @param {import('mongodb').MongoClient} client */
export async function seedCiphers(client) {
  await dropCiphers(client);
  const ciphers = ciphersOf(client);
  await ciphers.createIndex({ type: 1, createdAt: -1 });
  await ciphers.insertMany(
    Array.from({ length: CIPHERS }, (_, n) => ({
      type: typeOf(n),
      name: `key-${n}`,
      cipherText: randomBytes(48).toString('base64'),
      createdAt: new Date(Date.UTC(2021, 5, 2) + n),
    })),
  );
}

/** @param {import('mongodb').MongoClient} client */
export async function dropCiphers(client) {
  await ciphersOf(client).drop();
}

/**
 * Finds the newest document of a type by an index.
 * @param {import('mongodb').MongoClient} client
 * @param {number} n any number; the types take turns
 * @throws {Error} if there is none: then the lab would measure an empty collection
 */
export async function findNewest(client, n) {
  const type = typeOf(n);
  const cipher = await ciphersOf(client).findOne({ type }, { sort: { createdAt: -1 } });
  if (!cipher) throw new Error(`the lab's data was removed: no document of type ${type} in ${COLLECTION}`);
  return cipher;
}

/**
 * @param {import('mongodb').MongoClient} client
 * @param {number} [maxAwaitMs] how long the server holds back its answer, default the server's
 */
export function watchCiphers(client, maxAwaitMs) {
  return ciphersOf(client).watch([], { maxAwaitTimeMS: maxAwaitMs });
}

/** @param {number} n */
function typeOf(n) {
  return `KEY_TYPE_${n % TYPES}`;
}
