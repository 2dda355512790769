import { MERGE_RULES } from 'oplog-replicator';

/** Options of the replicator's workers, for each command that has them. */
export const WORKER_OPTIONS = {
  hash: {
    about:
      'how operations are assigned to workers. id: by document; collection: each collection has one worker, as it ' +
      'always has where order matters, such as with a unique index',
    choices: ['id', 'collection'],
  },
  merge: {
    about:
      'which operations of a worker become one write. all: those on one collection; neighbours: those on one ' +
      'collection, of one kind, that follow each other; none: each is a write',
    choices: [...MERGE_RULES],
  },
};
