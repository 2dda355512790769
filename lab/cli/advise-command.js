import { advise } from 'mongodb-pool-predictor';
import { paintText } from '../base/paint.js';
import { describeEnvironment } from '../harness/environment.js';
import { describeSharedPool } from '../predictions/describe-input.js';
import { describeWorse, pickWorse } from '../predictions/describe-callers.js';
import { digitsAgainst, explainAdvice } from '../predictions/explain-advice.js';
import { explainHidden, explainTrust } from '../predictions/explain-check.js';
import { renderTable } from '../report/table.js';
import { REQUIRED } from './add-command.js';
import { inThreads } from './in-threads.js';
import { LOAD_OPTIONS, OPTIONS, reword } from './options.js';
import { parseBetween, parsePositive } from './option-parsers.js';
import { readLoad } from './read-load.js';

/** @import { CommandData } from './add-command.js' */
/** @import { Advice, AdviceRow, Slo, TraceCheck, Trust } from 'mongodb-pool-predictor' */
/** @import { Column, LabView, Result } from '../report/result-types.js' */
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
 *   instances?: number, servers?: number, serverLimit?: number, seeds?: number, firstSeed: number, explain: boolean
 *   }} options
 */
async function findAdvice(scenario, { slo: slos, headroom, seeds, firstSeed, explain, ...others }) {
  const { instances, servers, serverLimit, ...loadOptions } = others;
  const input = await readLoad({ ...loadOptions, scenario, firstSeed });
  const { load, simulation, check, trust } = input;
  const refusal = trust?.refusal;
  if (refusal) return refuse(explainHidden({ reason: refusal, poolSizes: ['any size'], isAll: true }), check);
  const isFleet = [instances, servers, serverLimit].some((option) => option !== undefined);
  const startedAt = new Date().toISOString();
  const fleet = isFleet ? { instances: instances ?? 1, servers, serverLimit } : undefined;
  const options = { ...simulation, slos, headroom, seeds, firstSeed, fleet, marginAt: trust?.marginAt };
  /** @param {typeof load} one @param {number} [describeAbove] */
  const adviseOn = (one, describeAbove) =>
    inThreads({ load: one, ...simulation }, (hooks) => advise({ load: one, ...options, describeAbove, ...hooks }));
  const first = await adviseOn(load);
  // Only the worse of the two is shown.
  const second =
    load.otherReading && (await adviseOn(load.otherReading, first.verdict === 'size' ? Number(first.poolSize) : 0));
  const advice = second ? pickWorse(first, second) : first;
  const doubts = second && load.callers ? [describeWorse(load.callers, first, second)] : [];
  const unsure = trust && explainHiding(trust, advice, slos);
  if (unsure) return refuse(unsure, check);

  if (advice.verdict !== 'size') process.exitCode = 1;
  const words = explainAdvice(advice, { isBrief: !explain });
  const result = {
    lab: 'advise',
    startedAt,
    environment: describeEnvironment(null),
    settings: { ...input.settings, slos: slos.map(({ text }) => text), headroom, seeds: advice.seeds, firstSeed },
    ...advice,
    ...(check && { check }),
    words,
    notes: [...input.about, ...doubts, ...input.notes],
    warnings: input.warnings,
  };
  return { result, advice, input, doubts, isExplained: explain };
}

/** @param {Awaited<ReturnType<typeof findAdvice>>} found @param {Output} output */
function printAdvice(found, { look, layOut, print }) {
  const [verdict, ...reasons] = found.result.words;
  const headline = paintText(layOut(verdict), ['bold', found.result.verdict === 'size' ? 'green' : 'red'], look.paint);
  if (!('advice' in found)) return print([headline, ...reasons.map(layOut)], found.result);
  const { result, advice, input, doubts, isExplained } = found;
  const { trust, pool } = input;
  const rest = [
    ...input.warnings.map((warning) => `! ${warning}`),
    ...input.about,
    ...reasons,
    ...doubts,
    ...(isExplained ? input.notes : []),
    pool ? describeSharedPool(pool) : '',
    isExplained ? '' : '--explain says what the load uses, and what this assumes.',
  ];
  const blocks = [
    trust && advice.poolSize !== null ? `${headline}\n${layOut(explainTrust(trust))}` : headline,
    ...(advice.rows.length > 0 ? [renderTable(...createAdviceView(advice), look)] : []),
    rest
      .filter(Boolean)
      .map(layOut)
      .join(isExplained ? '\n\n' : '\n'),
  ];
  print(blocks, result);
}

/**
 * Why `predict` would not show a goal's figure at the advised size. Its band is part of the advice.
 *
 * @param {Trust} trust
 * @param {Advice} advice
 * @param {Slo[]} slos
 * @returns {string | undefined} undefined if it would
 */
function explainHiding(trust, { poolSize, rows }, slos) {
  if (poolSize === null) return undefined;
  const advised = rows.filter((row) => row.poolSize === poolSize);
  for (const index of slos.keys()) {
    const ms = Math.min(...advised.map(({ goals }) => goals[index].medianMs));
    const reason = trust.reasonToHide({ poolSize, ms });
    if (reason) return explainHidden({ reason, poolSizes: [poolSize], isAll: true });
  }
  return undefined;
}

/** Gives no size. @param {string} reason @param {TraceCheck | undefined} check */
function refuse(reason, check) {
  process.exitCode = EXIT_NO_PREDICTION;
  const words = ["No size: the recording can't be predicted.", reason];
  return { result: { lab: 'advise', verdict: 'noPrediction', poolSize: null, check, words } };
}

/** The advised size, one less and one more, as a table. @param {Advice} advice @returns {[LabView, Result]} */
function createAdviceView({ rows, loads, samples, seeds, poolSize: advised }) {
  const sizes = [...new Set(rows.map(({ poolSize }) => poolSize))];
  const rowOf = (/** @type {number} */ size, /** @type {number} */ factor) =>
    /** @type {AdviceRow} */ (rows.find((row) => row.poolSize === size && row.factor === factor));
  /** @type {Column[]} */
  const columns = loads.flatMap(({ factor }) => {
    const group = `load x${factor},`;
    /** @param {(row: AdviceRow) => number} figure @returns {Column['value']} */
    const of =
      (figure) =>
      ({ settings }) =>
        figure(rowOf(settings.poolSize, factor));
    return [
      ...rows[0].goals.flatMap(({ text }, goal) => {
        const heading = text.replace(/ <.*/, '');
        const { limitMs } = samples[goal].slo;
        const digits = Math.max(...rows.map(({ goals }) => digitsAgainst(goals[goal].upperMs, limitMs)));
        return [
          { group: `${group} ms`, heading, value: of(({ goals }) => goals[goal].medianMs) },
          ...(seeds > 1
            ? [{ group: `${group} ms`, heading: 'at most', digits, value: of(({ goals }) => goals[goal].upperMs) }]
            : []),
        ];
      }),
      { group, heading: 'used %', value: of(({ utilisation }) => utilisation * 100) },
      { group, heading: 'queue', value: of(({ peakWaiting }) => peakWaiting) },
    ];
  });
  return [
    {
      name: 'advise',
      title: 'Advice',
      question: '',
      howToRead: [],
      charts: [],
      takeaway: () => '',
      judge: ({ settings }) => (settings.poolSize === advised ? 'answer' : undefined),
      columns: [{ heading: 'pool', value: ({ settings }) => settings.poolSize }, ...columns],
    },
    {
      lab: 'advise',
      startedAt: '',
      environment: {},
      settings: {},
      variants: sizes.map((poolSize) => ({ name: `pool ${poolSize}`, settings: { poolSize }, measured: null })),
    },
  ];
}
