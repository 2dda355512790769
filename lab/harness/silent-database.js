import { PoolClient } from 'mongodb-pool-page/client';
import { repeatUntil } from '../base/poll.js';
import { MONGO_SETTING_NAMES } from './attached-app.js';

/** @import { AttachedProcess } from './attach-reports.js' */

/** A driver tries for 30 s before it throws. */
const PATIENCE_MS = 3000;
const EVERY_MS = 500;
const ANSWER_MS = 2000;

/**
 * Tells of each process whose driver still has no connection to MongoDB, 3 s after it began to open one. Later outages
 * are on its page.
 *
 * @param {AttachedProcess[]} processes may grow
 * @param {{ onSilent: (process: AttachedProcess) => void, stop: AbortSignal }} options onSilent is called once per
 *   process
 */
export function watchSilentDatabases(processes, { onSilent, stop }) {
  /** @type {Map<AttachedProcess, number>} When each was seen first. */
  const since = new Map();
  /** @type {Set<AttachedProcess>} */
  const done = new Set();
  const look = async () => {
    for (const process of processes) {
      if (stop.aborted) return;
      if (process.url === undefined || done.has(process)) continue;
      if (!since.has(process)) since.set(process, performance.now());
      const snapshot = await new PoolClient(process.url, { timeoutMs: ANSWER_MS }).snapshot().catch(() => null);
      if (snapshot === null || stop.aborted) continue;
      if (snapshot.total > 0) done.add(process);
      else if (!snapshot.database.reachable && performance.now() - Number(since.get(process)) >= PATIENCE_MS) {
        done.add(process);
        onSilent(process);
      }
    }
  };
  repeatUntil(look, { everyMs: EVERY_MS, stop }).catch(() => {});
}

/**
 * @param {AttachedProcess} process
 * @param {{ ourMongo?: string, mayStart?: boolean }} [options] ourMongo: URL of the embedded MongoDB; mayStart: the
 *   command could start one, default true
 */
export function describeSilence({ pid, clients }, { ourMongo, mayStart = true } = {}) {
  const hosts = [...new Set(clients.flatMap((client) => client.hosts))].join(', ');
  const ways = mayStart
    ? ` With --mongo embedded before the --, pool-lab starts one, and sets ${MONGO_SETTING_NAMES} for the app.`
    : '';
  const advice = ourMongo ? describeEmbedded(ourMongo) : `Start one there, or set what the app reads.${ways}`;
  return `no MongoDB answers process ${pid} at ${hosts}. ${advice}`;
}

/** @param {string} url */
export function describeEmbedded(url) {
  return (
    `The embedded one is at ${url}, as ${MONGO_SETTING_NAMES} say. If the app reads another setting, such as ` +
    "DATABASE_URL: -- sh -c 'DATABASE_URL=$MONGO_URL npm start'"
  );
}
