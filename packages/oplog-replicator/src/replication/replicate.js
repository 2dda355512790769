import { connectDeployments } from '../base/connect-deployments.js';
import { planSources, runPlan } from './plan-sources.js';
import { Counters } from '../base/replication-figures.js';
import { assertOptions } from './replicate-options.js';

/** @import { Figures } from '../base/replication-figures.js' */
/** @import { ReplicateOptions } from './replicate-options.js' */
/** @import { Session } from '../workers/session.js' */
/** @import { Unsupported } from '../collections/unsupported.js' */

/** For the checkpoint, for commands and their effects, and to ask what the target is doing. */
const SPARE_CONNECTIONS = 3;

/**
 * @typedef {object} Replication
 * @property {() => Figures} figures
 * @property {() => Promise<void>} stop resolves once everything read is written and the checkpoint saved
 * @property {Promise<Figures>} done rejects if the replication failed; another one can continue from the checkpoint
 */

/**
 * Applies the oplogs of replica sets to another cluster. The package's README lists what it replicates and its limits.
 *
 * @param {ReplicateOptions} options
 * @returns {Promise<Replication>}
 * @throws {Error} when an option is wrong, or a source or the target can't be used; nothing has been written then
 */
export async function replicate(options) {
  assertOptions(options);
  const { sources, target, workers, maxSilenceMs, signal } = options;
  const startedAtMs = performance.now();
  let endedAtMs = Infinity;
  const controller = new AbortController();
  const stop = AbortSignal.any([controller.signal, ...(signal ? [signal] : [])]);
  const counters = new Counters();
  const onUnsupported = oncePerName(options.onUnsupported ?? warnUnsupported);
  const deployments = await connectDeployments(
    { sources, target },
    { connections: workers + SPARE_CONNECTIONS, maxSilenceMs },
  );
  const plans = await planSources({ ...options, onUnsupported }, deployments, counters).catch(async (error) => {
    await deployments.close();
    throw error;
  });
  const copy = plans[0].copy?.figures ?? null;
  /** @type {Session[]} the current one of each source */
  const sessions = [];

  function figures() {
    const backlogByWorker = sessions.flatMap((session) => session.listBacklogs());
    return {
      ...counters,
      backlog: backlogByWorker.reduce((sum, backlog) => sum + backlog, 0),
      backlogByWorker,
      lagMs: Math.max(0, ...plans.map(({ sessionOptions: { lag } }) => lag.measure())),
      copy: copy && { ...copy },
      tookMs: Math.min(performance.now(), endedAtMs) - startedAtMs,
    };
  }

  async function run() {
    try {
      const all = plans.map((plan, index) =>
        runPlan(plan, options.until, {
          stop,
          onSession: (session) => {
            sessions[index] = session;
          },
        }),
      );
      // When one source fails, the others stop.
      await Promise.all(all).catch(() => controller.abort());
      await Promise.allSettled(all);
      await Promise.all(all);
    } finally {
      await deployments.close();
      endedAtMs = performance.now();
    }
    return figures();
  }

  const done = run();
  // A failure before the caller awaits `done` is not an unhandled rejection.
  done.catch(() => {});
  return {
    figures,
    done,
    async stop() {
      controller.abort();
      await done.catch(() => {});
    },
  };
}

/** @param {(unsupported: Unsupported) => void} callback @returns {(unsupported: Unsupported) => void} */
function oncePerName(callback) {
  const seen = new Set();
  return (unsupported) => {
    if (seen.has(unsupported.name)) return;
    seen.add(unsupported.name);
    callback(unsupported);
  };
}

/** @param {Unsupported} unsupported */
function warnUnsupported({ kind, name }) {
  process.emitWarning(`${name} is not replicated (${kind})`, 'ReplicationWarning');
}
