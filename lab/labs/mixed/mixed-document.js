import { formatNumber } from 'mongodb-pool-page/universal/quantity.js';
import { findPublished } from './mixed-published.js';

/** @import { DocumentRows } from '../../report/result-types.js' */

/** @param {number} poolSize */
const maxOf = (poolSize) => `${formatNumber(findPublished(poolSize)?.maxMs ?? 0, poolSize === 1 ? 1 : 0)} ms`;

/** @type {DocumentRows} */
export const mixedDocument = {
  setup: [
    {
      says: 'a small Express app with `/slow` and `/fast`, which share one database connection',
      here: 'the app in `src/`, with one shared client',
    },
    {
      says: '`MONGO_POOLSIZE` sets the pool size at the start',
      here: 'the same setting; a value that is not a number stops the start',
      why:
        "the author's program passes it on as text, which its driver ignores: it shows no " +
        'effect as it is (lesson 2)',
    },
    {
      says: '`/slow` takes 5 seconds',
      here: '`SLOW_MS=5000`, with a command that waits on the server',
      why:
        "the author's `$where` runs JavaScript on the server, is deprecated, and takes 5 s for each document " +
        'that the program has inserted',
    },
    {
      says: '`/fast` takes a few milliseconds',
      here: 'it finds one customer by an index',
    },
    {
      says:
        'Artillery: one user per second, for 5 seconds; each requests `/slow`, then ' +
        '`/fast`, and waits for the answers',
      here: 'the same load, `loadtests/mixed.yaml`',
      why: '`arrivalCount` instead of `arrivalRate`, which depends on the cores of the machine',
    },
    {
      says: 'the Node.js driver of its time',
      here: '`run mixed --driver 3` measures it; without the option, the driver is of today',
      why: 'it is too old to be installed by default',
    },
  ],
  behaviour: [
    {
      says: 'one shared connection is faster than a new one for each query',
      here: '`run sessions --strategies client-per-query,copy`',
    },
    {
      says: 'the pool size is the number of queries that can run at once, like the lanes of a tunnel',
      here: 'the live page draws the lanes',
      why: "today's driver keeps one queue for all lanes; the driver of then also sent queries down busy lanes",
    },
    {
      says: 'many customers with quick queries, a few administrators with large ones',
      here: '`loadtests/users-and-admins.yaml`: 95 to 5',
    },
    {
      says: 'users report a slow app; in its metrics, even an indexed findOne has become slow',
      here: '`/metrics` and the live page tell the wait for a connection from the query; lesson 2',
    },
  ],
  figures: [
    {
      says: `pool size 3: every request succeeded, the longest took ${maxOf(3)}`,
      here: '7.0 s today; with `--driver 3` 9.0 s',
      why:
        'the old driver takes turns on busy connections. What it sent before the load decides whether it is 7, 8 or ' +
        "9 s; ours sends as much as gives the article's",
    },
    {
      says: `pool size 1: every request succeeded, the longest took ${maxOf(1)}`,
      here: '21.0 s today; with `--driver 3` 21.1 s',
    },
    {
      says: `pool size 10: the longest took ${maxOf(10)}, as long as the slow query`,
      here: '5.0 s today; with `--driver 3` 5.0 s',
    },
  ],
  conclusions: [
    {
      says: 'fast queries suffer because slow ones block the connection',
      here: "the run's sentence names the slowest `/fast` request, and how much of it was waiting",
    },
    {
      says: 'with enough lanes, both routes take what their queries take',
      here: 'lesson 3 finds the number of lanes: 5',
    },
    {
      says: 'the picture: a bus and a Ferrari in a tunnel',
      here: 'the live page, the lessons and the playground use it',
    },
  ],
  advice: [
    {
      says: 'benchmark your app with the load you expect, with JMeter or Artillery, at several pool sizes',
      here:
        "`sweep FILE -- COMMAND` does it with Artillery, `sweep --load 'jmeter -n -t plan.jmx' -- COMMAND` with " +
        'JMeter ([how](../sweep.md))',
    },
    {
      says: 'take into account the other clients that share the server',
      here: '[lesson 14](../../lessons/14-fleet-budget/README.md), and `advise --instances 40 --server-limit 3000`',
    },
    {
      says: 'watch the resources of the server',
      here: "the live page's toll booths, `/pool/server`, and lesson 9",
    },
    {
      says: 'instrument the queries, for example with Azure Application Insights',
      here: '[how to watch a pool](../observability.md), and what such tools do not show',
    },
  ],
};
