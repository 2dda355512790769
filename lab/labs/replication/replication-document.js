import { formatNumber } from 'mongodb-pool-page/universal/quantity.js';
import { CASES } from './cases.js';
import { COMPARISONS } from './replication-findings.js';
import { PUBLISHED } from './replication-published.js';

/** @import { DocumentRows } from '../../report/result-types.js' */

/** What the document says of each case. */
const REMARKS = [
  'read and thrown away',
  'smaller entries cost less to decode',
  'an eighth of case 1, because the target is the limit',
  'more workers write more',
  'neighbours of one collection become one write',
  'no more than with 8 workers, because the target is the limit',
  'more collections, fewer conflicts of the optimistic lock',
  'more workers write more',
  'a worker for each collection, by collection',
  'a sharded source makes no difference',
];

/** @param {number} number of a case */
function explainCase(number) {
  const [, , , there] = COMPARISONS.find(([one]) => one === number) ?? [];
  return there
    ? `there ${there}; here, the finding gives batch sizes and cores`
    : 'ours decodes no fields, and is one process on one core';
}

/** @type {DocumentRows} */
export const replicationDocument = {
  setup: [
    {
      says: `${PUBLISHED.cores} cores, 512 GB of memory, a 20 Gbit network, SSD`,
      here: 'this machine; the report has its cores',
      why: 'the lab runs where you run it, so compare ratios',
      covered: 'partly',
    },
    {
      says: 'source, target and replicator on one host',
      here: 'the same; `--source` and `--target` for servers elsewhere',
    },
    {
      says: 'MongoDB 3.4, MongoShake 1.0 in Go',
      here: 'MongoDB 6 and the replicator of this repository, in Node.js',
      why:
        'the question is how workers and batches scale. MongoShake itself was measured on two cores once; ' +
        'the report has its figures',
    },
    {
      says: 'a replica set of one member or shards as source, a replica set of one as target',
      here: 'the same',
    },
    { says: 'only inserts', here: 'cases 1 to 10; cases 11 to 13 are a mix' },
    {
      says: '5 collections of 24 million documents; an oplog entry has 220 bytes with five fields, 180 with one',
      here: 'entries of the same size; `--ops`, by default 100,000',
      why: 'as many as there would take hours to write; they are replicated again until the time is up',
    },
    {
      says: 'averages of 60 seconds',
      here: '`--seconds`, by default 10 after a warm-up',
      why: 'so that ten cases take minutes',
    },
    {
      says: 'QPS, CPU and memory of each case',
      here: 'the columns `ops/s`, `CPU %` and `peak MB`',
      why: 'the published memory is an average, and its heading says so',
    },
    {
      says: 'varied: type of source, tunnel, workload, workers, executors',
      here: '`--cases`, `--mode`, `--mix`, `--workers`, `--hash`',
      why: 'the document gives no figures for executors, and our replicator has none',
      covered: 'partly',
    },
  ],
  behaviour: [
    {
      says: 'entries of the same collection and kind that follow each other are merged into one write',
      here: 'everything that a worker has of a collection is one batch; `--no-merge` writes each alone',
      why: 'a batch need not follow the order of the oplog where documents differ',
    },
    {
      says: 'operations go to a worker by id, or by collection',
      here: '`--hash id`, `--hash collection`',
    },
  ],
  figures: [
    {
      says: `the target alone: ${PUBLISHED.ceilings
        .map(
          ({ threads, single, batched }) =>
            `${threads} threads ${formatNumber(single)} one by one, ${formatNumber(batched)} in batches`,
        )
        .join('; ')}`,
      here: '`--ceiling`: the rows `target 8 x 1` to `target 64 x 1000`',
      why: 'connections of one process instead of threads',
    },
    ...CASES.flatMap(({ number, mode, collections, fields, workers, published }) => {
      if (!published) return [];
      const data = `${mode}, ${collections} x ${fields}, ${workers} workers`;
      const { ratePerSec, cpuPercent, averageRssMB } = published;
      return {
        says:
          `case ${number} (${data}): ${formatNumber(ratePerSec)} ops/s, CPU ${cpuPercent} %, ` +
          `${formatNumber(averageRssMB)} MB; ${REMARKS[number - 1]}`,
        here: number === 1 ? 'the row `case 1`' : `the row \`case ${number}\`, and its finding`,
        why: explainCase(number),
      };
    }),
    {
      says: 'less than 1 second from an insert on the source to the target',
      here: '`--latency`: 50 %, 95 % and all of single inserts, beside it',
      why: 'there it is the difference between the oplogs of both servers; here, until a query finds the document',
    },
  ],
  conclusions: [
    {
      says: 'workers by collection are good where there are many collections, evenly filled',
      here: '`run replication --cases 8,9`',
      why: explainCase(9),
    },
    {
      says: 'unique keys were not measured: the version did not support them',
      here: 'a collection with a unique index is written by one worker, in order; this is not measured either',
      why: 'there is no figure to compare with',
      covered: 'partly',
    },
  ],
};
