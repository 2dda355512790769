import { gatherLookups } from 'mongodb-gather';
import { documentsOf } from './documents.js';

/**
 * How the app gets a document: with a query for each, or gathered with the lookups of the same moment; from one client
 * or from several in turn.
 *
 * @param {import('mongodb').MongoClient[]} clients
 * @param {{ gather: boolean }} options
 * @returns {(id: number) => Promise<import('./documents.js').Numbered | null>}
 */
export function createLookUp(clients, { gather }) {
  const lookUps = clients.map(documentsOf).map((documents) => (
    gather ? gatherLookups(documents) : (/** @type {number} */ id) => documents.findOne({ _id: id })));
  if (lookUps.length === 1) return lookUps[0];
  let turn = 0;
  return (id) => lookUps[turn++ % lookUps.length](id);
}
