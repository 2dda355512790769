import { countConnections } from 'mongodb-pool-page/universal/quantity.js';
import { describeSpeedup } from 'mongodb-pool-page/universal/speedup-words.js';
import { advise, parseChange } from 'mongodb-pool-predictor';
import { paintText } from '../base/paint.js';
import { describeEnvironment } from '../harness/environment.js';
import { describeSharedPool } from '../predictions/describe-input.js';
import { explainAdvice } from '../predictions/explain-advice.js';
import { describeDenial, explainHidden, explainTrust } from '../predictions/explain-check.js';
import { REQUIRED } from './fill-command.js';
import { inThreads } from './in-threads.js';
import { LOAD_OPTIONS, OPTIONS, reword } from './options.js';
import { parseBetween, parsePositive } from './option-parsers.js';
import { readLoad } from './read-load.js';
import { WHAT_IF, renderWhatIf, tryQueries } from './try-queries.js';

/** @import { CommandData } from './add-command.js' */
/** @import { Advice, CodedFinding, FirstSize, Slo, TraceCheck, Trust } from 'mongodb-pool-predictor' */
/** @import { Output } from './output.js' */

const MAX_HEADROOM = 100;
/** The exit code if the recording can't be predicted, so that there is no size. */
const EXIT_NO_PREDICTION = 4;

/** @type {CommandData} */
export const command = {
  about:
    'find the smallest pool that meets your goals, and an alternative to it; ' +
    `exit with 1 if there is none, or no verdict, and with ${EXIT_NO_PREDICTION} if the recording can't be predicted`,
  arguments: [['[scenario...]', 'Artillery scenario; further files are merged into it']],
  options: [
    reword('slo', OPTIONS.slo[1], REQUIRED),
    ...LOAD_OPTIONS,
    [
      '--headroom <factor>',
      'the goals must also hold at this many times the load',
      parseBetween(1, MAX_HEADROOM, 1.3),
      1.3,
    ],
    'instances',
    ['--servers <n>', 'servers that each instance connects to', parsePositive],
    'serverLimit',
    reword('seeds', 'simulation runs of a random load, at least 59'),
    WHAT_IF,
    'firstSeed',
    ['--explain', 'show what the load uses, and what the figures assume'],
    'json',
  ],
  example: "--trace trace.jsonl --slo '/fast p95 < 100ms'",
  run: findAdvice,
  print: printAdvice,
};

/**
 * @param {string[]} scenario
 * @param {import('./read-load.js').LoadOptions & { slo: Slo[], headroom: number,
 *   instances?: number, servers?: number, serverLimit?: number, seeds?: number, firstSeed: number, explain: boolean,
 *   whatIf?: string[] }} options
 */
async function findAdvice(scenario, { slo: slos, headroom, seeds, firstSeed, explain, whatIf, ...others }) {
  const { instances, servers, serverLimit, ...loadOptions } = others;
  const input = await readLoad({ ...loadOptions, scenario, firstSeed });
  const { load, simulation, check, trust } = input;
  const { trace } = input;
  if (whatIf && !trace) throw new Error('--what-if needs a recording: --trace FILE (pool-lab record)');
  const changes = trace && whatIf?.map((text) => parseChange(text, trace));
  if (trust?.refusal) return refuse(trust.refusal, check);
  const isFleet = [instances, servers, serverLimit].some((option) => option !== undefined);
  const startedAt = new Date().toISOString();
  const fleet = isFleet ? { instances: instances ?? 1, servers, serverLimit } : undefined;
  const options = { ...simulation, slos, headroom, seeds, firstSeed, fleet, marginAt: trust?.marginAt };
  const { advice, trials } = await inThreads({ load, ...simulation }, async ({ say, ...hooks }) => {
    const found = await advise({ load, ...options, ...hooks, onFirst: (first) => say(describeFirst(first)) });
    if (!trace || !trust || found.verdict === 'denied') return { advice: found, trials: null };
    const recording = { trace, load, settings: input.pool?.settings };
    return { advice: found, trials: await tryQueries({ recording, trust, ...hooks, goals: slos, changes }) };
  });
  const denial = describeDenial(advice);
  if (denial) return refuse(denial, check, 'the simulation does not fit');
  const hidden = findHidden(trust, advice, slos);
  if (hidden) return refuse(hidden, check, 'the smallest that would do has no figures', advice.poolSize);

  if (advice.verdict !== 'size') process.exitCode = 1;
  const speedup = trials?.speedups ? describeSpeedup(trials.speedups) : '';
  const shown = hideRule(trust, advice);
  const words = explainAdvice(shown, { load: trust ? 'the recorded load' : 'this load', isBrief: !explain });
  const result = {
    lab: 'advise',
    startedAt,
    environment: describeEnvironment(null),
    settings: { ...input.settings, slos: slos.map(({ text }) => text), headroom, seeds: advice.seeds, firstSeed },
    ...shown,
    ...trials,
    ...(check && { check }),
    words: [...words, speedup].filter(Boolean),
    notes: [...input.about, ...input.notes],
    warnings: input.warnings,
  };
  return { result, advice, input, trials, isExplained: explain };
}

/** @param {FirstSize} first */
function describeFirst({ poolSize, runs, seeds }) {
  return `about ${countConnections(poolSize)} in ${runs} runs, checking with ${seeds} runs`;
}

/** @param {Awaited<ReturnType<typeof findAdvice>>} found @param {Output} output */
function printAdvice(found, { look, layOut, print }) {
  const [verdict, ...reasons] = found.result.words;
  const headline = paintText(layOut(verdict), ['bold', found.result.verdict === 'size' ? 'green' : 'red'], look.paint);
  if (!('advice' in found)) return print([headline, ...reasons.map(layOut)], found.result);
  const { result, advice, input, trials, isExplained } = found;
  const { trust, pool } = input;
  const rest = [
    ...input.warnings.map((warning) => `! ${warning}`),
    ...input.about,
    ...reasons,
    ...(isExplained ? input.notes : []),
    pool ? describeSharedPool(pool) : '',
    isExplained ? '' : '--explain says what the load uses, and what this assumes.',
  ];
  const blocks = [
    trust && advice.poolSize !== null ? `${headline}\n${layOut(explainTrust(trust))}` : headline,
    rest
      .filter(Boolean)
      .map(layOut)
      .join(isExplained ? '\n\n' : '\n'),
    ...(trials?.whatIf ?? []).map((tried) => renderWhatIf(tried, look.width)),
  ];
  print(blocks, result);
}

/**
 * Why `predict` would not show a goal's figure at the advised size. Its band is part of the advice.
 *
 * @param {Trust | undefined} trust
 * @param {Advice} advice
 * @param {Slo[]} slos
 * @returns {CodedFinding | undefined} undefined if it would
 */
function findHidden(trust, { poolSize, rows }, slos) {
  if (!trust || poolSize === null) return undefined;
  return (
    slos
      .map((_, goal) => Math.min(...rows.map(({ goals }) => goals[goal].medianMs)))
      .map((ms) => trust.reasonToHide({ poolSize, ms }))
      .find((reason) => reason !== null) ?? undefined
  );
}

/**
 * Leaves out what a rule of thumb would do, if `predict` would not show it.
 *
 * @param {Trust | undefined} trust
 * @param {Advice} advice
 */
function hideRule(trust, advice) {
  const { poolSize, goals } = advice.rule ?? { poolSize: NaN, goals: [] };
  const isHidden = goals.some(({ medianMs }) => trust?.reasonToHide({ poolSize, ms: medianMs }));
  return isHidden ? { ...advice, rule: null } : advice;
}

/**
 * Gives no size.
 * @param {CodedFinding} reason
 * @param {TraceCheck | undefined} check
 * @param {string} [what] is the reason, in short
 * @param {number | null} [poolSize] whose figures are hidden; null: of any size
 */
function refuse(reason, check, what = "the recording can't be predicted", poolSize = null) {
  process.exitCode = EXIT_NO_PREDICTION;
  const words = [`No size: ${what}.`, explainHidden({ reason, poolSizes: [poolSize ?? 'any size'], isAll: true })];
  return { result: { lab: 'advise', verdict: 'noPrediction', poolSize: null, reason, check, words } };
}
