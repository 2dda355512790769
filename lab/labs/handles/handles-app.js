import express from 'express';
import { gatherLookups } from 'mongodb-gather';
import { sendJson, sendProblem } from 'mongodb-pool-page';
import { answerErrors } from '../../../src/http/problem.js';
import { DATABASE } from '../../../src/mongo/demo-data.js';

/** @import { MongoClient, Collection } from 'mongodb' */

const DOCUMENTS = 10_000;

/** @typedef {{ _id: number, text: string }} NumberedDocument */

/** @param {MongoClient} client @returns {Collection<NumberedDocument>} */
export function documentsOf(client) {
  return client.db(DATABASE).collection('handles');
}

/**
 * Replaces what an earlier run may have left.
 * @param {Collection<NumberedDocument>} documents
 */
export async function seedDocuments(documents) {
  await documents.drop();
  await documents.insertMany(Array.from({ length: DOCUMENTS }, (_, _id) => ({ _id, text: `Document ${_id}` })));
}

function pickId() {
  return Math.floor(Math.random() * DOCUMENTS);
}

/** @typedef {(id: number) => Promise<NumberedDocument | null>} LookUp */

/**
 * The app under test: `GET /db` returns a random document. The variants differ only in `lookUp`.
 *
 * @param {LookUp} lookUp
 * @param {import('pino').Logger} log
 */
export function createApp(lookUp, log) {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.get('/db', async (req, res) => {
    res.json(await pickDocument(lookUp));
  });
  app.use(answerErrors(log));
  return app;
}

/**
 * The same without a framework. What Express costs is the difference.
 *
 * @param {LookUp} lookUp
 * @param {import('pino').Logger} log
 * @returns {import('node:http').RequestListener}
 */
export function createBareApp(lookUp, log) {
  return (req, res) => {
    pickDocument(lookUp).then(
      (document) => sendJson(res, document),
      (error) => {
        log.error({ err: error }, 'a lookup failed');
        sendProblem(res, 500, 'Internal Server Error');
      },
    );
  };
}

/** @param {LookUp} lookUp */
async function pickDocument(lookUp) {
  const id = pickId();
  const document = await lookUp(id);
  // The load tool does not know which document to expect, so the app checks it.
  if (document?._id !== id) throw new Error(`looked up document ${id}, found ${document?._id}`);
  return document;
}

/**
 * @param {MongoClient[]} clients they take turns
 * @param {{ gather: boolean }} options gather: one query for all lookups of the same moment
 * @returns {LookUp}
 */
export function createLookUp(clients, { gather }) {
  const lookUps = clients
    .map(documentsOf)
    .map((documents) =>
      gather ? gatherLookups(documents) : (/** @type {number} */ id) => documents.findOne({ _id: id }),
    );
  if (lookUps.length === 1) return lookUps[0];
  let next = 0;
  return (id) => lookUps[next++ % lookUps.length](id);
}
