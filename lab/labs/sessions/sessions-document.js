import { formatNumber } from 'mongodb-pool-page/universal/quantity.js';
import { LOGGED_RUNS, RUNS } from './sessions-published.js';

/** @import { DocumentRow, DocumentRows } from '../../report/result-types.js' */

const NO_SESSIONS = "a session of today's driver holds no connection; the client has the pool";
const SAME_CODE = 'the same code as';
const LIMITS =
  'here one connection carries one query at a time (mgo: several), and one thread of Node.js runs the client. The ' +
  'run says where that thread is full';

/** What a query of a section 3 run looked like. @param {typeof LOGGED_RUNS[number]} run @returns {DocumentRow} */
function describeLoggedRun({ way, workers, queries, pool, tookS, sockets, acquired, timesWaited, totalWaitMs }) {
  const waits = timesWaited
    ? `waited ${formatNumber(timesWaited)} times, ${formatNumber(totalWaitMs / 1000, 1)} s in total`
    : 'no waits';
  const isClone = way.endsWith('clone');
  const like = way === 'clone' ? 'copy' : 'fixed';
  return {
    says:
      `${way}, ${workers} x ${formatNumber(queries)} queries, pool ${pool}: ${formatNumber(tookS, 1)} s, sockets ` +
      `used ${sockets}, acquired ${formatNumber(acquired)}, ${waits}`,
    here:
      `\`run sessions --workers ${workers} --queries ${queries} --pool-sizes ${pool} --strategies ` +
      `${isClone ? like : way} --stats\` prints the same counts`,
    why: timesWaited
      ? 'a wait counts from 1 ms up, for each query that found no free connection; compare the shares, `waited %`'
      : isClone
        ? `${SAME_CODE} ${like}`
        : undefined,
  };
}

/** @param {number} workers @param {number} pool @param {boolean} [primed] */
function describeRun(workers, pool, primed = false) {
  const run = RUNS.find((each) => each.workers === workers && each.pool === pool && each.primed === primed);
  const [fixed, clone, copy] = [run?.fixed, run?.clone, run?.copy].map((s) => formatNumber(s ?? 0, 1));
  const queries = formatNumber(workers * (run?.queries ?? 0));
  return (
    `${queries} queries of ${workers === 1 ? '1 worker' : `${workers} workers`}, pool ` +
    `${pool}${primed ? ', primed' : ''}: fixed ${fixed} s, clone ${clone} s, copy ${copy} s`
  );
}

/** @type {DocumentRows} */
export const sessionsDocument = {
  setup: [
    {
      says: 'Go with mgo; one session is one socket to the primary',
      here: 'Node.js; fixed is a client with one connection, copy a client with a pool',
      why: `${NO_SESSIONS}. The original program can't be run against MongoDB 6: mgo says "no reachable servers"`,
    },
    {
      says: 'MongoDB 4.2, a replica set of three members in Docker on one machine',
      here:
        "three mongods on this machine, or `--url`; `--preset published` adds enough network delay that one worker's " +
        'query takes as long as there',
      why: 'without Docker in between, a query takes a third of the time',
    },
    {
      says:
        'documents with type, name, text and date, and an index on type and date; the query ' +
        'finds the newest of a type',
      here: 'the same fields, index and query',
      why: '1000 documents of 10 types instead of one, so that the queries differ',
    },
    {
      says: 'options for workers, queries, pool size, statistics, and a first ping that primes the session',
      here: '`--workers`, `--queries`, `--pool-sizes`, `--stats`; primed is the row `fixed = primed clone`',
    },
    {
      says: '5 s of rest before each test; one worker starts every 50 ms, and the time counts from the first',
      here: 'a warm-up before each variant; all workers start at once',
      why: 'the published time includes up to 5 s of starts, so each finding says what its ratio is without them',
    },
    {
      says: 'a pool of up to 4096 sockets by default, and no limit to the wait for one',
      here: '`--pool-sizes` has 4096; `--pool-timeout` limits the wait',
      why: "today's driver has 100 connections by default, and no limit to the wait either",
    },
    {
      says: 'a time limit of 10 s for dialling, reading and writing',
      here: 'a limit for finding the server',
      why: 'no query takes long enough to need the others',
      covered: 'partly',
    },
  ],
  behaviour: [
    {
      says: 'fixed: one socket for all queries; concurrent queries wait for each other, whatever the pool size',
      here: 'the row `fixed`: 1 connection opened, and the waits',
      why: 'mgo sends the next query before the last is answered, so it waits less',
    },
    {
      says: 'copy: a socket from the pool, a new one if none is free, and a wait once the limit is reached',
      here: 'the rows `copy`: `opened`, and `waited` times, % and s',
    },
    {
      says: "clone: the parent's socket if it has one (primed), else one from the pool",
      here: 'shown with fixed (primed) and with copy, as one row, and measured once',
      why: `${NO_SESSIONS}, so a primed clone is ${SAME_CODE} fixed, and any other ${SAME_CODE} copy`,
    },
    {
      says: 'a session that nobody closes keeps its socket, until queries wait forever',
      here: '`--leaks` leaves change streams open, `--pool-timeout` ends the wait; lesson 7',
      why:
        "today's driver takes a connection back after each answer; what can still hold one is a " +
        'stream, a cursor or a transaction',
    },
    {
      says: 'statistics once a second: sockets alive and in use, acquired, waits and their time, timeouts',
      here: '`--stats` prints the same six each second',
    },
    {
      says: 'the log shows `masterSocket` nil before the first ping, and set after it',
      here: 'nothing',
      why: `${NO_SESSIONS}, so there is no such field`,
      covered: 'missing',
    },
  ],
  figures: [
    ...LOGGED_RUNS.map(describeLoggedRun),
    {
      says: `${describeRun(1, 4096)}, and as long with pool 10, primed or not: with little load all three are alike`,
      here: 'the finding "1 worker: the slowest way / the fastest"',
    },
    { says: describeRun(10, 4096), here: 'the finding "10 workers: copy 4096 / fixed"', why: LIMITS },
    { says: describeRun(50, 4096), here: 'the finding "50 workers: copy 4096 / fixed"', why: LIMITS },
    {
      says: `${describeRun(100, 4096)}: the headline, 3.92 times as many queries`,
      here: 'the finding "100 workers: copy 4096 / fixed"',
      why: LIMITS,
    },
    {
      says: `${describeRun(50, 4096, true)}: a primed clone is fixed`,
      here: 'one row, `fixed = primed clone`, with both published times',
      why: `it is ${SAME_CODE} fixed here, so there is no ratio`,
    },
    {
      says: describeRun(100, 50),
      here: 'the findings of "copy 50"',
      why: LIMITS,
    },
    {
      says: `${describeRun(100, 10)}: a small pool costs most of the gain`,
      here: 'the finding "100 workers: copy 50 / copy 10"',
      why: "where ten connections keep Node's one thread busy, more do not help",
    },
  ],
  advice: [
    {
      says: 'a table of the three ways: for and against, and when to use which',
      here: 'the end of lesson 10',
    },
    { says: 'no fixed session behind an API', here: 'lessons 2 and 10' },
    {
      says: 'know the settings of the pool',
      here: 'the [table of settings](../settings.md); lesson 2 checks that a setting arrives, lesson 5 limits the wait',
    },
    {
      says: 'copy is good enough if the pool is large enough and the server can take the connections',
      here: 'lesson 3 finds the size, lesson 14 counts the connections of a fleet, `advise --server-limit` checks them',
    },
    { says: 'copy for queries that take long', here: 'lesson 8: a second client for slow queries' },
    {
      says: "clone only if you know what the parent's socket is doing; clone to control how sockets are used",
      here: 'lesson 10 says what replaces it: a second client, or a smaller pool',
      why: `${NO_SESSIONS}, so there is nothing to clone`,
      covered: 'partly',
    },
    {
      says: 'set the consistency mode right after dialling, or on a copy',
      here: 'lesson 10: a read preference belongs to a client, a collection or a query',
      why: `${NO_SESSIONS}, and no mode`,
      covered: 'partly',
    },
  ],
};
