import { mean, sum } from 'mongodb-pool-predictor/statistics';
import { describeEnvironment } from './environment.js';
import { NO_MONGO, openLabMongo } from './lab-mongo.js';
import { warnIfBusy, watchMachine } from './machine-share.js';
import { mergeFigures } from './merge-figures.js';

/** @import { LabView, Repeat, Result, Variant } from '../report/result-types.js' */
/** @import { Settings } from '../../src/settings.js' */
/** @import { MachineUse } from './machine-share.js' */

/**
 * An experiment: data and two verbs, plan and measure. `Options` are those of the command line, `VariantSettings` what
 * the variants differ in, `Figures` what is measured, `OwnPlan` a plan with something of the lab's own in it, and
 * `Shared` what `prepare` sets up.
 * @template [Options=any]
 * @template [VariantSettings=any]
 * @template [Figures=any]
 * @template {Plan<VariantSettings, Figures>} [OwnPlan=Plan<VariantSettings, Figures>]
 * @template [Shared=any]
 * @typedef {LabView<VariantSettings, Figures> & Bench<Options, VariantSettings, Figures, OwnPlan, Shared>} Lab
 */

/** @typedef {Lab<any, any, any, any, any>} AnyLab */

/**
 * How a lab is run.
 * @template Options
 * @template VariantSettings
 * @template Figures
 * @template OwnPlan
 * @template Shared
 * @typedef {object} Bench
 * @property {string} summary half a line for lists of labs, without a capital or a full stop
 * @property {Record<string, import('./lab-options.js').LabOption>} options
 * @property {{ default: number, about: string }} [repeat] of the option --repeat; without it each variant is measured
 *   once
 * @property {{ members?: number, urlOption?: string } | null} [mongo] how many mongods the embedded MongoDB has,
 *   default 1; the option that names another MongoDB, default `url`; null: the lab needs none from us
 * @property {() => unknown} [requireTools] throws before anything is started if the lab needs what is not installed
 * @property {(options: Options) => Promise<OwnPlan>} plan
 * @property {(plan: OwnPlan, context: Context) => Promise<Prepared<Shared> | void>} [prepare] sets up what all variants
 *   share, for example data
 * @property {(variant: PlannedVariant<VariantSettings, Figures>, plan: OwnPlan,
 *   context: Context & { shared: Shared }) => Promise<Measurement<Figures>>} measure
 * @property {(variant: PlannedVariant<VariantSettings, Figures>, plan: OwnPlan, measured: Figures, settings: Settings)
 *   => (
 *   Promise<Partial<Figures>> | Partial<Figures>)} [predict] called after all measurements, so that it takes no time
 *   from them
 */

/**
 * What a lab will do with its options.
 * @template [VariantSettings=any]
 * @template [Figures=any]
 * @typedef {object} Plan
 * @property {Record<string, unknown>} settings what the result records
 * @property {PlannedVariant<VariantSettings, Figures>[]} variants
 * @property {boolean} [areAlike] whether all variants take about as long, so that the first ones tell how long
 * @property {string[]} [warnings]
 */

/**
 * @template [VariantSettings=any]
 * @template [Figures=any]
 * @typedef {Pick<Variant<VariantSettings, Figures>, 'name' | 'settings' | 'exact' | 'published'> &
 *   { estimateMs: number, once?: boolean, isPublishedOnly?: boolean }} PlannedVariant `estimateMs`: NaN if nobody knows
 *   how long it takes; `once`: measured in the first round only, whatever --repeat says; `isPublishedOnly`: not
 *   measured at all, but shown
 */

/**
 * @template [Shared=any]
 * @typedef {object} Prepared
 * @property {Shared} [shared] goes into the context of each measurement
 * @property {Record<string, unknown>} [settings] more of what the result records
 * @property {Record<string, unknown>} [environment] what differs from this process
 */

/**
 * `failed` says why requests failed; `exact` replaces what was worked out before, where it depends on when requests
 * came.
 * @template [Figures=any]
 * @typedef {Repeat<Figures> & { failed?: string, warnings?: string[], exact?: Partial<Figures> }} Measurement
 */

/**
 * @typedef {object} Context
 * @property {string} mongoUrl of the one MongoDB that all variants share; empty for a lab that needs none
 * @property {Settings} settings
 * @property {AbortSignal} signal ends the measurement
 * @property {(line: string) => void} report gets a line of progress for people
 * @property {(end: () => Promise<unknown>) => void} onEnd takes what cleans up; called whatever happens, the last one
 *   first
 *
 * @typedef {object} CommonOptions of every lab
 * @property {number} [repeat] how often each variant is measured
 * @property {string} [url] connection string of the MongoDB to use, in place of MONGO_URL
 * @property {boolean} [parallel] measure all variants of a round at once; for labs that have this option
 *
 * @typedef {{ name: string, estimateMs: number, leftMs: number, totalMs: number }} Step a measurement begins; how long
 *   it and all that is left may take; NaN where that is unknown
 *
 * @typedef {{ variant: PlannedVariant, repeat?: Measurement, error?: Error, machine: MachineUse }} Outcome
 */

/**
 * Runs a lab: each variant, `repeat` times, interleaved (A B C, A B C), so that a machine that slows down slows all of
 * them. If a variant can't run, the result says why, and the others still run.
 * @param {AnyLab} lab
 * @param {Record<string, any> & CommonOptions} options
 * @param {object} surroundings
 * @param {Settings} surroundings.settings
 * @param {AbortSignal} surroundings.signal
 * @param {(line: string) => void} surroundings.report gets a line of progress for people
 * @param {(step: Step) => void} surroundings.onStep
 * @param {typeof watchMachine} [surroundings.watch] another watch of what other programs use
 * @param {() => number} [surroundings.now] another clock, in ms
 * @returns {Promise<Result>}
 * @throws what `signal` was aborted with
 */
export async function runLab(lab, options, surroundings) {
  const { settings, signal, report, onStep, watch = watchMachine, now = () => performance.now() } = surroundings;
  const { repeat = lab.repeat?.default ?? 1, parallel = false } = options;
  const startedAt = new Date().toISOString();
  lab.requireTools?.();
  /** @type {Plan} */
  const plan = await lab.plan(options);
  const mongo =
    lab.mongo === null ? NO_MONGO : await openLabMongo(lab.mongo ?? {}, options, { settings, report, signal });
  const until = AbortSignal.any([signal, mongo.died]);
  /** @type {(() => Promise<unknown>)[]} */
  const ends = [];
  /** @type {string[]} */
  const leftovers = [];
  const endAll = async () => {
    for (const end of ends.splice(0).toReversed())
      await end().catch(({ message }) => leftovers.push(`what was set up could not be removed: ${message}`));
  };
  try {
    signal.throwIfAborted();
    const onEnd = (/** @type {() => Promise<unknown>} */ end) => void ends.push(end);
    const context = { mongoUrl: mongo.url, settings, signal: until, report, onEnd };
    const prepared = await lab.prepare?.(plan, context).catch((cause) => {
      throw new Error(shortenRefusal(cause.message), { cause });
    });
    const rounds = listRounds(plan.variants, { repeat, parallel });
    /** @type {Outcome[]} */
    const outcomes = [];
    /** How long each round took that has ended. @type {number[]} */
    const tookMs = [];
    for (const [index, round] of rounds.entries()) {
      const startedAtMs = now();
      onStep(describeStep(rounds, index, plan.areAlike ? tookMs : []));
      const readMachine = watch({ isOwnServer: mongo.isOurs });
      const measured = await Promise.all(
        round.map(async (variant) => {
          try {
            return {
              variant,
              repeat: await mongo.during(
                (until) => lab.measure(variant, plan, { ...context, shared: prepared?.shared, signal: until }),
                until,
              ),
            };
          } catch (error) {
            signal.throwIfAborted();
            return { variant, error: mongo.died.aborted ? mongo.died.reason : /** @type {Error} */ (error) };
          }
        }),
      );
      const machine = readMachine();
      if (measured.some(({ repeat }) => repeat)) tookMs.push(now() - startedAtMs);
      outcomes.push(...measured.map((outcome) => ({ ...outcome, machine })));
    }
    await endAll();
    return {
      lab: lab.name,
      startedAt,
      environment: { ...describeEnvironment(mongo.version), ...prepared?.environment },
      settings: { ...plan.settings, ...prepared?.settings, repeat, parallel },
      variants: await Promise.all(
        plan.variants.map((variant) =>
          summarise(lab, plan, variant, { outcomes: outcomes.filter((one) => one.variant === variant), settings }),
        ),
      ),
      warnings: [...(plan.warnings ?? []), ...listWarnings(outcomes), ...warnIfBusy(outcomes), ...leftovers],
    };
  } finally {
    await endAll();
    await mongo.close();
  }
}

/**
 * @param {PlannedVariant[]} variants
 * @param {{ repeat: number, parallel: boolean }} options
 * @returns {PlannedVariant[][]} what is measured at the same time, in order
 */
function listRounds(variants, { repeat, parallel }) {
  return Array.from({ length: repeat }, (_, round) => {
    const due = variants.filter(({ once, isPublishedOnly }) => !isPublishedOnly && (round === 0 || !once));
    return parallel ? [due] : due.map((variant) => [variant]);
  }).flat();
}

/**
 * @param {PlannedVariant[][]} rounds
 * @param {number} index of the round that begins
 * @param {number[]} tookMs of the rounds before, if each takes about as long
 * @returns {Step}
 */
function describeStep(rounds, index, tookMs) {
  const [first, ...others] = rounds.slice(index).map((round) => (tookMs.length > 0 ? mean(tookMs) : longest(round)));
  const leftMs = sum([first, ...others]);
  const beforeMs = tookMs.length > 0 ? sum(tookMs) : sum(rounds.slice(0, index).map(longest));
  return {
    name: rounds[index].map(({ name }) => name).join(', '),
    estimateMs: first,
    leftMs,
    totalMs: beforeMs + leftMs,
  };
}

/**
 * @param {AnyLab} lab
 * @param {Plan} plan
 * @param {PlannedVariant} variant
 * @param {{ outcomes: Outcome[], settings: Settings }} measuring
 * @returns {Promise<Variant>}
 */
async function summarise(lab, plan, variant, { outcomes, settings }) {
  const { name, published = null } = variant;
  const repeats = outcomes.flatMap(({ repeat }) => repeat ?? []);
  const exacts = repeats.flatMap(({ exact }) => exact ?? []);
  const errors = outcomes.flatMap(({ repeat, error }) =>
    error ? shortenRefusal(error.message) : (repeat?.failed ?? []),
  );
  const measured = repeats.length > 0 ? mergeFigures(repeats.map((repeat) => repeat.measured)) : null;
  return {
    name,
    settings: variant.settings,
    measured,
    predicted: measured && lab.predict ? await lab.predict(variant, plan, measured, settings) : null,
    exact: exacts.length > 0 ? mergeFigures(exacts) : (variant.exact ?? null),
    published,
    repeats: repeats.map(({ measured: figures, arrivalsMs, samples }) => ({ measured: figures, arrivalsMs, samples })),
    ...(measured && { machineShare: Math.min(...outcomes.map(({ machine }) => machine.share)) }),
    ...(errors.length > 0 && { error: [...new Set(errors)].join('; ') }),
  };
}

/** @param {Outcome[]} outcomes */
function listWarnings(outcomes) {
  return outcomes.flatMap(({ variant, repeat }) => (repeat?.warnings ?? []).map((text) => `${variant.name}: ${text}`));
}

/**
 * How long a run with the default options takes, without starting MongoDB.
 * @param {AnyLab} lab
 * @returns {Promise<number>} ms
 */
export async function estimateRun(lab) {
  const options = Object.fromEntries(Object.entries(lab.options).map(([name, option]) => [name, option.default]));
  const { variants } = await lab.plan(options);
  return describeStep(listRounds(variants, { repeat: lab.repeat?.default ?? 1, parallel: false }), 0, []).totalMs;
}

/** @param {PlannedVariant[]} round @returns {number} ms; NaN if that is unknown */
function longest(round) {
  return Math.max(...round.map(({ estimateMs }) => estimateMs));
}

/**
 * The server's error for a missing role quotes the command with its session and documents. Keep only its name.
 * @param {string} message
 */
function shortenRefusal(message) {
  return message.replace(
    /not authorized on (\S+) to execute command \{ (\w+)[^]*$/,
    'the user may not run "$2" on the database $1: grant it the role readWrite there',
  );
}
