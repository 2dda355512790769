import { Command, InvalidArgumentError } from 'commander';
import { advise, parseSlo } from 'mongodb-pool-predictor';
import { describeEnvironment } from '../harness/environment.js';
import { createAdviceView } from '../predictions/advice-view.js';
import { describeSharedPool } from '../predictions/describe-input.js';
import { describeWorse, pickWorse } from '../predictions/describe-callers.js';
import { explainAdvice } from '../predictions/explain-advice.js';
import { escapeControls, wrap } from '../printable.js';
import { renderTable, WIDEST_TEXT } from '../report/table.js';
import { inThreads } from './in-threads.js';
import { readLoad, withLoadOptions } from './load-options.js';
import { MAX_SEEDS, collect, parseFirstSeed, parsePositive, parseUpTo } from './option-parsers.js';
import { widthOf } from './terminal-width.js';

const MAX_HEADROOM = 100;

/** `pool-lab advise` */
export function createAdviseCommand() {
  return withLoadOptions(new Command('advise')
    .description('find the smallest pool that meets your goals, and alternatives to it; '
      + 'exit with 1 if there is none, or no verdict')
    .requiredOption('--slo <goal>', "e.g. '/fast p99 < 50ms'; p50, p90, p95, p99, p99.9 or max; repeatable",
      collect(parseSlo))
    .option('--scenario <file>', 'Artillery scenario'))
    .option('--headroom <factor>', 'the goals must also hold at this many times the load', parseHeadroom, 1.3)
    .option('--instances <n>', 'instances of the app, each with its own pool', parsePositive)
    .option('--servers <n>', 'servers that each instance connects to', parsePositive)
    .option('--server-limit <n>', 'connections that each server accepts', parsePositive)
    .option('--seeds <n>', 'simulation runs of a random load, at least 59', parseUpTo(MAX_SEEDS))
    .option('--first-seed <n>', 'of the first run; another one gives other runs', parseFirstSeed, 1)
    .option('--json', 'print the advice as one JSON object on stdout', false)
    .action(showAdvice);
}

/**
 * @param {import('./load-options.js').LoadOptions & { slo: import('mongodb-pool-predictor').Slo[], headroom: number,
 *   instances?: number, servers?: number, serverLimit?: number, seeds?: number, firstSeed: number, json: boolean }} options
 */
async function showAdvice({ slo: slos, headroom, instances, servers, serverLimit, seeds, firstSeed, json, ...loadOptions }) {
  const { load, services, overhead, resolutionMs, pool, notes, settings, warnings } = await readLoad({
    ...loadOptions, resample: true,
  });
  const isFleet = [instances, servers, serverLimit].some((option) => option !== undefined);
  const startedAt = new Date().toISOString();
  const options = {
    services, overhead, resolutionMs, slos, headroom, seeds, firstSeed,
    fleet: isFleet ? { instances: instances ?? 1, servers, serverLimit } : undefined,
  };
  /** @param {typeof load} one */
  const adviseOn = (one) => inThreads({ load: one, services, overhead, resolutionMs },
    (hooks) => advise({ load: one, ...options, ...hooks }));
  const first = await adviseOn(load);
  const second = load.otherwise && await adviseOn(load.otherwise);
  const advice = second ? pickWorse(first, second) : first;
  if (second) notes.push(describeWorse(first, second));

  const paragraphs = explainAdvice(advice);
  const [verdict, ...reasons] = paragraphs;
  const width = widthOf(process.stderr);
  process.stderr.write(`${escapeControls([
    wrap(verdict, Math.min(width, WIDEST_TEXT)),
    ...(advice.rows.length > 0 ? [renderTable(...createAdviceView(advice), { width })] : []),
    ...warnings.map((warning) => wrap(`! ${warning}`, Math.min(width, WIDEST_TEXT))),
    ...[...reasons, ...notes, ...(pool ? [describeSharedPool(pool)] : [])].filter(Boolean)
      .map((text) => wrap(text, Math.min(width, WIDEST_TEXT))),
  ].join('\n\n'))}\n`);
  if (json) {
    process.stdout.write(`${JSON.stringify({
      lab: 'advise', startedAt, environment: describeEnvironment(null),
      settings: { ...settings, slos: slos.map(({ text }) => text), headroom, seeds: advice.seeds, firstSeed },
      ...advice, words: paragraphs, notes, warnings,
    })}\n`);
  }
  if (advice.verdict !== 'size') process.exitCode = 1;
}

/** @param {string} text */
function parseHeadroom(text) {
  const factor = text.trim() === '' ? NaN : Number(text);
  if (!(factor >= 1 && factor <= MAX_HEADROOM)) {
    throw new InvalidArgumentError(`It must be a number from 1 to ${MAX_HEADROOM}, such as 1.3.`);
  }
  return factor;
}
