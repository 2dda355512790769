import { formatNumber } from 'mongodb-pool-page/universal/quantity.js';
import { PUBLISHED } from './inserts-published.js';

/** @import { DocumentRows } from '../../report/result-types.js' */

const ONE_PROCESS =
  'client and server share this machine, and one thread of Node.js sends everything (Go uses all cores)';

/** @type {DocumentRows} */
export const insertsDocument = {
  setup: [
    {
      says: 'AWS EC2 with CentOS 7; client and server on one instance each, over the network',
      here: 'client and server on this machine, or `--url` for a server elsewhere',
      why: 'the lab has one machine, so compare ratios',
      covered: 'partly',
    },
    {
      says: 'Go 1.7 with mgo, MongoDB 3.2',
      here: "Node.js with today's driver, MongoDB 6",
      why: 'mgo cannot reach MongoDB 6',
    },
    {
      says: `${formatNumber(PUBLISHED.docs)} documents of 1 KB: 970 zeros`,
      here: '`--preset published`: as many, with the same content',
    },
    {
      says: 'sessions, goroutines and inserts as arguments',
      here: '`--cases 100/10000`: connections, and inserters that share them; `--docs`',
    },
    { says: 'the collection is dropped first', here: 'the same, and once more after the warm-up' },
    {
      says: 'done when the count of documents, polled every 10 ms, is reached: close to asynchronous writing',
      here: 'done when each insert is acknowledged; then the server checks every document',
      why: "so that each inserter waits for its document, as an app's does; `--write-concern 1` as in the article",
    },
    { says: 'the default index, and the journal on', here: 'the same' },
  ],
  behaviour: [
    {
      says: 'more indexes cost a few percent',
      here: '`--indexes 3`',
      why: 'the article gives no figure',
    },
    {
      says: 'snappy compresses the zeros, which helps the disk; random data was not tried',
      here: '`--data random`',
    },
  ],
  figures: [
    ...PUBLISHED.instances.map(({ instance, cores, ratesPerSec }) => ({
      says: `${instance}, ${cores === 1 ? '1 core' : `${cores} cores`}: ${Object.entries(ratesPerSec)
        .map(([workload, rate]) => `${workload} ${formatNumber(rate)}`)
        .join(', ')} docs/s`,
      here: 'the chart of all rates over cores, and a column beside the largest instance that has no more cores',
      why: ONE_PROCESS,
    })),
  ],
  conclusions: [
    {
      says: 'with one session the rate hardly grows with the cores: one session is served by one core',
      here:
        '`--server-cores 1,2` measures each case with one core and with two; the finding ' +
        '"1/100 / 1/1" gives the reason',
      why: "mgo sends the next insert before the last is answered; today's driver sends one at a time",
    },
    {
      says: 'best with 100 sessions and 100 goroutines: 80,000 a second with 8 cores',
      here: 'the findings "100/100 / 1/1" and "100/10000 / 100/100"',
      why: ONE_PROCESS,
    },
    {
      says: '16 cores are no faster than 8: the limit is something other than the CPU',
      here: "the chart shows it; the column `CPU %` shows that here the limit is the client's one thread",
      why: 'this needs a machine with 16 cores',
      covered: 'partly',
    },
    {
      says: 'one instance without shards is enough for most sites',
      here: 'lesson 11: gathered inserts from one process',
    },
  ],
  advice: [
    {
      says: 'readers who reach 100,000 inserts a second under like conditions are asked to report it',
      here: "the run's sentence says whether it did; gathered inserts do on two idle cores",
      why: 'gathered inserts travel in batches, so the conditions are not alike',
    },
  ],
};
