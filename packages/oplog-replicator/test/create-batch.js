import { BSON } from 'mongodb';
import { ChunkedWriter, WriterPool } from '../src/bson/chunked-writer.js';
import { createNamespaces } from '../src/base/namespaces.js';
import { appendDocument } from '../src/target/write-batch.js';

/** @import { OperationKind, WriteBatch } from '../src/target/write-batch.js' */

const START = { seconds: 1, increment: 0, term: 1 };

/**
 * @typedef {{ kind: OperationKind, documents: Record<string, any>[] }} Logged an operation, with the documents of a
 *   WriteBatch
 */

/** @param {Logged[]} logged @param {Partial<WriteBatch>} [changes] @returns {WriteBatch} */
export function createBatch(logged, changes) {
  const documents = new ChunkedWriter(new WriterPool(0));
  for (const { documents: each } of logged) {
    for (const document of each) appendDocument(documents, Buffer.from(BSON.serialize(document)), 0);
  }
  return {
    namespace: createNamespaces().named('merge.copy'),
    after: START,
    happenedMs: 0,
    memory: 0,
    kinds: logged.map(({ kind }) => kind),
    documents,
    ...changes,
  };
}
