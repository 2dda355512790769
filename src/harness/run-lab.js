import { shortenRefusal } from '../mongo/client.js';
import { openMongo } from '../mongo/open.js';
import { describeEnvironment } from './environment.js';
import { mergeFigures } from './merge-figures.js';
import { watchMongo } from './watch-mongo.js';

/** @import { Settings } from '../settings.js' */

/**
 * @typedef {object} Plan what a lab will do with the options it was given
 * @property {Record<string, unknown>} settings what the result records
 * @property {PlannedVariant[]} variants
 * @property {string[]} [warnings]
 *
 * @typedef {Pick<import('../report/result-types.js').Variant, 'name' | 'settings' | 'exact' | 'published'> &
 *   { estimateMs: number }} PlannedVariant
 *
 * @typedef {object} Context what a measurement gets
 * @property {string} mongoUrl of the one MongoDB that all variants share
 * @property {Settings} settings
 * @property {AbortSignal} signal ends the measurement
 * @property {(line: string) => void} report gets a line of progress for people
 *
 * @typedef {import('../report/result-types.js').Run & { failed?: string, warnings?: string[] }} Measurement `failed`: why
 *   requests of it failed
 *
 * @typedef {object} Bench how a lab is run
 * @property {string} summary half a line for lists of labs, without a capital or a full stop
 * @property {Record<string, import('./lab-options.js').LabOption>} options
 * @property {{ members?: number, urlOption?: string }} [mongo] how many mongods the embedded MongoDB has, 1 unless told;
 *   the option that names another MongoDB, `url` unless told
 * @property {(options: any) => Promise<Plan>} plan
 * @property {(plan: any, context: Context) => Promise<() => Promise<void>>} [prepare] what all measurements share, for
 *   example data; what it returns takes that away again, and is called whatever happens
 * @property {(variant: PlannedVariant, plan: Plan, context: Context) => Promise<Measurement>} measure
 * @property {(variant: PlannedVariant, plan: Plan, measured: Record<string, any>, settings: Settings) => (
 *   Record<string, any>)} [predict] figures of the shape of `measured`; called when all is measured, so that it takes no
 *   time from that
 *
 * @typedef {import('../report/result-types.js').Lab & Bench} Lab
 *
 * @typedef {object} CommonOptions beside the lab's own
 * @property {number} [repeat] how often each variant is measured
 * @property {string} [url] connection string of the MongoDB to use, in place of MONGO_URL
 * @property {boolean} [parallel] measure all variants of a round at once; for labs that have this option
 *
 * @typedef {{ name: string, estimateMs: number, leftMs: number, totalMs: number }} Step one measurement begins, and
 *   how long it and the whole rest may take
 */

/**
 * Run a lab: each variant, `repeat` times, interleaved (A B C, A B C) so that a machine that slows down slows all of
 * them. A variant that can't run says why in the result and does not stop the others.
 *
 * @param {Lab} lab
 * @param {Record<string, any> & CommonOptions} options
 * @param {object} surroundings
 * @param {Settings} surroundings.settings
 * @param {AbortSignal} surroundings.signal
 * @param {(line: string) => void} surroundings.report gets a line of progress for people
 * @param {(step: Step) => void} surroundings.onStep
 * @returns {Promise<import('../report/result-types.js').Result>} `measured` of a variant: counts are sums over its runs, all
 *   else medians
 * @throws what `signal` was aborted with
 */
export async function runLab(lab, options, { settings, signal, report, onStep }) {
  const { repeat = 1, parallel = false } = options;
  const startedAt = new Date().toISOString();
  const plan = await lab.plan(options);
  const rounds = Array.from({ length: repeat }, () => (
    parallel ? [plan.variants] : plan.variants.map((variant) => [variant])
  )).flat();
  const { members, urlOption = 'url' } = lab.mongo ?? {};
  const mongo = await openMongo({ ...settings, mongoUrl: options[urlOption] ?? settings.mongoUrl }, { members, report, signal });
  const gone = new AbortController();
  mongo.died?.then((error) => gone.abort(error));
  const until = AbortSignal.any([signal, gone.signal]);
  let close = mongo.stop;
  let undo = async () => {};
  try {
    const watch = await watchMongo(mongo.url, settings, options[urlOption] ? `--${urlOption}` : 'MONGO_URL');
    close = () => watch.close().finally(mongo.stop);
    signal.throwIfAborted();
    const context = { mongoUrl: mongo.url, settings, signal: until, report };
    undo = await lab.prepare?.(plan, context).catch((cause) => {
      throw new Error(shortenRefusal(cause.message), { cause });
    }) ?? undo;
    /** @type {{ variant: PlannedVariant, run?: Measurement, error?: Error }[]} */
    const outcomes = [];
    for (const [index, round] of rounds.entries()) {
      onStep({
        name: round.map(({ name }) => name).join(', '),
        estimateMs: longest(round),
        leftMs: sum(rounds.slice(index).map(longest)),
        totalMs: sum(rounds.map(longest)),
      });
      outcomes.push(...await Promise.all(round.map(async (variant) => {
        try {
          return { variant, run: await watch.during((until) => lab.measure(variant, plan, { ...context, signal: until }), until) };
        } catch (error) {
          signal.throwIfAborted();
          return { variant, error: gone.signal.aborted ? gone.signal.reason : /** @type {Error} */ (error) };
        }
      })));
    }
    // What was measured is worth more than what is left behind.
    const leftovers = await undo().then(() => [], ({ message }) => [`what was set up could not be removed: ${message}`]);
    undo = async () => {};
    return {
      lab: lab.name,
      startedAt,
      environment: describeEnvironment(watch.version),
      settings: { ...plan.settings, repeat, parallel },
      variants: plan.variants.map((variant) => (
        summarise(lab, plan, variant, { outcomes: outcomes.filter((one) => one.variant === variant), settings }))),
      warnings: [...plan.warnings ?? [], ...listWarnings(outcomes), ...leftovers],
    };
  } finally {
    await undo().catch(() => {}).finally(close);
  }
}

/**
 * @param {Lab} lab
 * @param {Plan} plan
 * @param {PlannedVariant} variant
 * @param {{ outcomes: { run?: Measurement, error?: Error }[], settings: Settings }} measuring
 * @returns {import('../report/result-types.js').Variant}
 */
function summarise(lab, plan, variant, { outcomes, settings }) {
  const { name, exact = null, published = null } = variant;
  const runs = outcomes.flatMap(({ run }) => run ?? []);
  const errors = outcomes.flatMap(({ run, error }) => (error ? shortenRefusal(error.message) : run?.failed ?? []));
  const measured = runs.length > 0 ? mergeFigures(runs.map((run) => run.measured)) : null;
  return {
    name,
    settings: variant.settings,
    measured,
    predicted: measured && lab.predict ? lab.predict(variant, plan, measured, settings) : null,
    exact,
    published,
    runs: runs.map((run) => ({ measured: run.measured, arrivalsMs: run.arrivalsMs })),
    ...(errors.length > 0 && { error: [...new Set(errors)].join('; ') }),
  };
}

/** @param {{ variant: PlannedVariant, run?: Measurement }[]} outcomes */
function listWarnings(outcomes) {
  return outcomes.flatMap(({ variant, run }) => (run?.warnings ?? []).map((text) => `${variant.name}: ${text}`));
}

/** @param {PlannedVariant[]} round */
function longest(round) {
  return Math.max(...round.map(({ estimateMs }) => estimateMs));
}

/** @param {number[]} values */
function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}
