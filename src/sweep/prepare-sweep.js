import { nameFile } from './plan-sweep.js';
import { tryApp } from './try-app.js';

/** @import { Context, Prepared } from '../harness/run-lab.js' */
/** @import { SweepOptions, SweepPlan } from './sweep-lab.js' */

/**
 * Sees whether the app can be measured, and says what will happen to it.
 *
 * @param {SweepPlan} plan
 * @param {SweepOptions} options
 * @param {Context} context
 * @returns {Promise<Prepared>}
 */
export async function prepareSweep({ workload }, { command, target, startTimeout, warmUpPaths, agree, poolSizes, scenario }, { signal, report }) {
  const lines = (workload?.requests ?? []).filter(({ method, url, isOwn }) => isOwn && method === 'get' && !url.includes('{{'));
  const placeOf = (/** @type {string} */ url) => url.replace(/^https?:\/\/[^/]*/i, '') || '/';
  const paths = [...warmUpPaths ?? [], ...lines.map(({ url }) => placeOf(url))];
  /** @param {Record<string, number>} statuses */
  const listMissing = (statuses) => Object.keys(statuses).filter((path) => statuses[path] === 404).map((path) => {
    const line = lines.find(({ url }) => placeOf(url) === path)?.line;
    return `GET ${path} ${line ? `(${nameFile(String(scenario))}, line ${line}) ` : ''}answers 404`;
  });
  const { hosts, poolSizes: ownSizes, node, statuses } = await tryApp(command, {
    target, startMs: startTimeout * 1000, paths, agree, signal,
    check(found) {
      const missing = listMissing(found);
      if (paths.length > 0 && missing.length === Object.keys(found).length) throw new Error(`Nothing was measured: ${missing.join('; ')}.`);
    },
  });
  report(`The app uses the MongoDB at ${hosts.join(', ')}. Whatever its code or connection string says, its maxPoolSize is replaced: `
    + `${poolSizes.join(', ')} instead of ${ownSizes.map((size) => size || 'no limit').join(' and ')}.`);
  for (const text of listMissing(statuses)) report(`! ${text}.`);
  if (scenario === undefined && !warmUpPaths) {
    report('! Nothing warms the app up, so its connections open while it is measured. Name paths for that with --warm-up-paths.');
  }
  return {
    settings: { mongodb: hosts.join(', '), ownPoolSizes: ownSizes },
    environment: { node: node.replace('v', ''), driver: "the app's", mongodb: "the app's" },
    undo: async () => {},
  };
}
