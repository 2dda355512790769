import { readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { planUsers } from 'mongodb-pool-predictor';
import { startGuarded, collectText } from '../process/guarded-process.js';
import { makeTempFolder } from '../process/temp-folder.js';
import { childEnvironment } from '../process/child-environment.js';

/** @import { Workload } from 'mongodb-pool-predictor' */

const require = createRequire(import.meta.url);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Artillery splits an arrivalRate over this many worker threads: one per core, less one. */
export const WORKERS = Math.max(1, os.cpus().length - 1);

/**
 * @typedef {{ min: number, max: number, count: number, p50: number, p95: number, p99: number }} LatencySummary in ms
 */
/** @typedef {{ counters: Record<string, number>, summaries: Record<string, LatencySummary> }} ArtilleryReport */
/** @typedef {{ count: number, p50Ms: number, p95Ms: number, p99Ms: number, maxMs: number }} RouteTimes */
/**
 * @typedef {object} LoadTestFigures
 * @property {number} requests
 * @property {number} failures requests without a 2xx or 3xx
 * @property {number | null} maxMs null where nothing was answered
 * @property {Record<string, RouteTimes>} routes
 */

/**
 * Finds Artillery's command. Artillery is optional, because it is six times as large as everything else.
 *
 * @returns {string} a script for Node.js
 * @throws {Error} with the command that installs it
 */
export function findArtillery() {
  try {
    const file = require.resolve('artillery/package.json');
    return path.join(path.dirname(file), require(file).bin.artillery);
  } catch (cause) {
    if (/** @type {NodeJS.ErrnoException} */ (cause).code !== 'MODULE_NOT_FOUND') throw cause;
    const place = path.relative(process.cwd(), ROOT);
    const command = `npm install${place && ` --prefix ${place}`}`;
    throw new Error(`This load needs Artillery, which is not installed. Install it with: ${command}`, { cause });
  }
}

/**
 * @param {object} options
 * @param {string | string[]} options.scenario path of a YAML file, or of several
 * @param {string} options.target URL of the app, in place of the scenario's target
 * @param {string} [options.environment] one of the scenario's
 * @param {string} [options.config] path of the scenario's config
 * @param {Record<string, unknown>} [options.variables] of the scenario
 * @param {object[]} [options.phases] in place of the scenario's
 * @param {AbortSignal} [options.signal] ends the run
 * @returns {Promise<{ report: ArtilleryReport, met: string[], unmet: string[] }>} the figures of the run, and the
 *   scenario's thresholds that it met and missed
 * @throws {Error} with Artillery's last output if it writes no report; without Artillery
 */
export async function runArtillery({ scenario, target, environment, config, variables, phases, signal }) {
  const command = findArtillery();
  const folder = await makeTempFolder('artillery');
  try {
    const output = path.join(folder, 'report.json');
    const args = ['run', '--target', target, '--output', output];
    if (environment) args.push('--environment', environment);
    if (config) args.push('--config', config);
    if (variables) args.push('--variables', JSON.stringify(variables));
    if (phases) args.push('--overrides', JSON.stringify({ config: { phases } }));
    const child = startGuarded(process.execPath, [command, ...args, ...[scenario].flat()], {
      folder,
      env: childEnvironment({ ARTILLERY_DISABLE_TELEMETRY: 'true' }),
      signal,
    });
    const [readOutput, readErrors] = [collectText(child.stdout), collectText(child.stderr)];
    await child.ended;
    signal?.throwIfAborted();

    const text = await readFile(output, 'utf8').catch((cause) => {
      throw new Error(`Artillery wrote no report: ${`${readOutput()}\n${readErrors()}`.trim()}`, { cause });
    });
    const lines = readOutput().split('\n');
    /** @param {string} mark */
    const marked = (mark) =>
      lines.filter((line) => line.startsWith(mark)).map((line) => line.slice(mark.length).trim());
    return { report: JSON.parse(text).aggregate, met: marked('ok:'), unmet: marked('fail:') };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Begins the name of a route's response times in a report. */
export const ENDPOINT = 'plugins.metrics-by-endpoint.response_time.';

/**
 * Artillery's percentiles are off by up to 1 %, which can put them outside of the exact minimum and maximum. Here they
 * are clamped to these.
 * @param {ArtilleryReport} report
 * @returns {LoadTestFigures}
 */
export function summariseReport({ counters, summaries }) {
  const routes = Object.entries(summaries)
    .filter(([name]) => name.startsWith(ENDPOINT))
    .map(([name, summary]) => [name.slice(ENDPOINT.length), summariseRoute(summary)]);
  const requests = counters['http.requests'] ?? 0;
  const answered = Object.entries(counters)
    .filter(([name]) => /^http\.codes\.[23]/.test(name))
    .reduce((sum, [, count]) => sum + count, 0);
  return {
    requests,
    failures: requests - answered,
    maxMs: summaries['http.response_time']?.max ?? null,
    routes: Object.fromEntries(routes),
  };
}

/** @param {LatencySummary} summary @returns {RouteTimes} */
function summariseRoute({ count, min, max, p50, p95, p99 }) {
  const [p50Ms, p95Ms, p99Ms] = [p50, p95, p99].map((value) => Math.min(max, Math.max(min, value)));
  return { count, p50Ms, p95Ms, p99Ms, maxMs: max };
}

/** Why requests failed, e.g. `2 x HTTP 503, 1 x ECONNREFUSED`. @param {ArtilleryReport} report */
export function describeFailures(report) {
  return Object.entries(countFailures(report))
    .map(([what, count]) => `${count} x ${what}`)
    .join(', ');
}

/**
 * @param {ArtilleryReport} report
 * @returns {Record<string, number>} failures by what went wrong, e.g. `HTTP 503` or `ETIMEDOUT`
 */
export function countFailures({ counters }) {
  return Object.fromEntries(
    Object.entries(counters).flatMap(([name, count]) => {
      const [, kind, what] = name.match(/^(http\.codes|errors)\.(.+)$/) ?? [];
      if (!kind || /^[23]\d\d$/.test(what)) return [];
      return [[kind === 'errors' ? what : `HTTP ${what}`, count]];
    }),
  );
}

/**
 * Compares the users that Artillery sent with those of the scenario. It may fall behind, or lose arrivals.
 *
 * @param {Pick<Workload, 'phases'>} workload
 * @param {ArtilleryReport} report
 * @returns {{ figures: { usersPlanned: number, usersSent: number }, warnings: string[] }} a warning when they differ by
 *   more than chance. Users that maxVusers keeps away count as sent.
 */
export function compareUsers({ phases }, { counters }) {
  const { users, spread } = planUsers(phases, { workers: WORKERS });
  const sent = (counters['vusers.created'] ?? 0) + (counters['vusers.skipped'] ?? 0);
  const isFar = Math.abs(sent - users) > spread;
  const percent = Math.round((sent / users - 1) * 1000) / 10;
  const warning =
    `Artillery sent ${sent} users instead of ${users} (${percent > 0 ? '+' : ''}${percent} %), which is not ` +
    "chance: the load was not the scenario's";
  return { figures: { usersPlanned: users, usersSent: sent }, warnings: isFar ? [warning] : [] };
}
