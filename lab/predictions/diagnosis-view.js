import {
  CAUSE_NAMES,
  describeProof,
  explainBusiest,
  explainVerdict,
} from 'mongodb-pool-page/universal/explain-diagnosis.js';
import { describeFinding, isDanger } from 'mongodb-pool-page/universal/finding-words.js';
import { formatQuantity, formatShare } from 'mongodb-pool-page/universal/quantity.js';
import { describeBestGuess } from 'mongodb-pool-page/universal/size-words.js';
import { describeSpeedup } from 'mongodb-pool-page/universal/speedup-words.js';
import { paintText } from '../base/paint.js';
import { layOutText, renderRows } from '../report/table.js';

/** @import { CauseShare, Diagnosis, Speedups, WhatIfQueries } from 'mongodb-pool-predictor' */
/** @import { Paint } from '../base/paint.js' */

/** A screen of the smallest terminal. */
const MAX_LINES = 24;
/** Causes with less are left out of the table. */
const MIN_SHARE = 0.01;
const MAX_ROWS = 5;
/** Causes with more are important: they get proofs and advice. */
const IMPORTANT_SHARE = 0.2;
const MAX_IMPORTANT = 2;

/**
 * A diagnosis for a terminal: the verdict, the causes, checkouts that prove them, and what to do.
 *
 * @param {Diagnosis} diagnosis
 * @param {{ poolSize: number | null, speedups: Speedups | null, advice: Record<string, string>, width: number, paint?:
 *   Paint, formatTime?: (atMs: number) => string }} options poolSize: the best guess, where it is known; speedups:
 *   where it is known which query matters most; formatTime: of proofs, see describeProof
 */
export function renderDiagnosis(diagnosis, { poolSize, speedups, advice, width, paint, formatTime }) {
  const important = pickImportant(diagnosis);
  const rows = diagnosis.verdict.isProblem ? listRows(diagnosis) : [];
  const proofs = important.flatMap(({ proofs: own }) => own.map((proof) => describeProof(proof, formatTime)));
  const facts = [explainBusiest(diagnosis), speedups ? describeSpeedup(speedups) : ''].filter(Boolean);
  const listSettings = (/** @type {(finding: Diagnosis['settings'][number]) => boolean} */ isListed) =>
    diagnosis.settings.filter(isListed).map((finding) => `! ${describeFinding(finding)}`);
  const listBlocks = (/** @type {string[]} */ laidOut) =>
    [
      [paintText(layOutText(describeVerdict(diagnosis, poolSize), width), 'bold', paint)],
      listSettings(isDanger).map((text) => layOutText(text, width)),
      facts.map((text) => layOutText(text, width)),
      rows.length > 0 ? [renderCauses(rows)] : [],
      laidOut,
      [...listAdvised(diagnosis, poolSize, advice), ...listSettings((finding) => !isDanger(finding))].map((text) =>
        layOutText(text, width),
      ),
    ].filter((block) => block.length > 0);
  const whole = joinBlocks(listBlocks(proofs.map((proof) => layOutText(proof, width))));
  // Advice matters more than the end of a proof.
  return whole.split('\n').length <= MAX_LINES
    ? whole
    : fitLines(listBlocks(proofs.map((proof) => cutLine(proof, width))));
}

/** @param {string[][]} blocks */
function joinBlocks(blocks) {
  return blocks.map((block) => block.join('\n')).join('\n\n');
}

/** @param {Diagnosis} before @param {Diagnosis} after @param {{ width: number, paint?: Paint }} options */
export function renderComparison(before, after, { width, paint }) {
  const causes = [...new Set([...listRows(after), ...listRows(before)].map(({ cause }) => cause))];
  const waitOf = (/** @type {Diagnosis} */ { causes: all, totals }, /** @type {string} */ cause) =>
    (all.find((each) => each.cause === cause)?.waitedMs ?? 0) / (totals.requests || 1);
  const rows = causes.map((cause) => ({ cause, before: waitOf(before, cause), after: waitOf(after, cause) }));
  return [
    layOutText(`Before: ${explainVerdict(before)}`, width),
    paintText(layOutText(`After: ${explainVerdict(after)}`, width), 'bold', paint),
    ...(rows.length > 0
      ? [
          '',
          renderRows(
            [
              { heading: 'cause, mean wait of a request', value: ({ cause }) => CAUSE_NAMES[cause] },
              { heading: 'before', value: (row) => formatQuantity(row.before, 'ms') },
              { heading: 'after', value: (row) => formatQuantity(row.after, 'ms') },
            ],
            rows,
          ),
        ]
      : []),
  ].join('\n');
}

/**
 * The JSON of a diagnosis, see diagnosis.schema.json.
 *
 * @param {Diagnosis} diagnosis
 * @param {{ poolSize: number | null, speedups: Speedups | null, whatIf: WhatIfQueries[] }} simulated
 * @param {Record<string, string>} advice
 */
export function toJson(diagnosis, { poolSize, speedups, whatIf }, advice) {
  return {
    doctor: 'mongodb-pool-lab',
    version: 1,
    ...diagnosis,
    ...{ poolSize, speedups, whatIf },
    words: {
      verdict: describeVerdict(diagnosis, poolSize),
      speedup: speedups ? describeSpeedup(speedups) : '',
      busiest: explainBusiest(diagnosis),
      advice: listAdvice(diagnosis, poolSize, advice),
      findings: diagnosis.findings.map(describeFinding),
      settings: diagnosis.settings.map(describeFinding),
    },
  };
}

/** @param {Diagnosis} diagnosis @param {number | null} poolSize */
function describeVerdict(diagnosis, poolSize) {
  const verdict = explainVerdict(diagnosis);
  if (poolSize === null) return verdict;
  return `${verdict} ${describeBestGuess({ size: poolSize, isServerLimit: false }, { load: 'the recorded load' })}`;
}

/** @param {Diagnosis} diagnosis @returns {CauseShare[]} */
function listRows({ causes }) {
  return causes.filter(({ cause, share }) => cause !== 'none' && share >= MIN_SHARE).slice(0, MAX_ROWS);
}

/** @param {Diagnosis} diagnosis @returns {CauseShare[]} the verdict's first */
function pickImportant({ causes, verdict }) {
  if (!verdict.isProblem) return [];
  return [
    ...causes.filter(({ cause }) => cause === verdict.cause),
    ...causes.filter(({ cause, share }) => cause !== 'none' && cause !== verdict.cause && share >= IMPORTANT_SHARE),
  ].slice(0, MAX_IMPORTANT);
}

/**
 * @param {Diagnosis} diagnosis
 * @param {number | null} poolSize
 * @param {Record<string, string>} advice
 * @returns {string[]}
 */
function listAdvice(diagnosis, poolSize, advice) {
  const names = new Set([...listMain(diagnosis, poolSize), ...diagnosis.findings.map(({ kind }) => kind)]);
  return [...names].flatMap((name) => advice[name] ?? []);
}

/**
 * Lists advice for the verdict, then each finding with its own.
 * @param {Diagnosis} diagnosis
 * @param {number | null} poolSize
 * @param {Record<string, string>} advice
 */
function listAdvised(diagnosis, poolSize, advice) {
  const isGiven = new Set(listMain(diagnosis, poolSize));
  const adviceOf = (/** @type {string} */ name) => (advice[name] ? [`> ${advice[name]}`] : []);
  return [
    ...[...isGiven].flatMap(adviceOf),
    ...diagnosis.findings.flatMap((finding) => {
      const own = isGiven.has(finding.kind) ? [] : adviceOf(finding.kind);
      isGiven.add(finding.kind);
      return [`! ${describeFinding(finding)}`, ...own];
    }),
  ];
}

/**
 * Lists the causes that matter most.
 * @param {Diagnosis} diagnosis
 * @param {number | null} poolSize
 * @returns {string[]}
 */
function listMain(diagnosis, poolSize) {
  const { cause, slow, facts } = diagnosis.verdict;
  const main = slow && cause === 'notThePool' ? nameSlow(slow) : cause;
  // With one client, the other waits would be others.
  const important = facts?.clients ? [] : pickImportant(diagnosis).map((each) => each.cause);
  // Where a size is known that would do, the server has room for it.
  const nameOf = (/** @type {string} */ name) => (name === 'fullPool' && poolSize !== null ? 'largerPool' : name);
  return [main, ...important].map(nameOf);
}

/**
 * Where it is known what takes the time, that is what to mend.
 * @param {NonNullable<Diagnosis['verdict']['slow']>} slow
 */
function nameSlow({ repeated, useMs, outsideMs }) {
  if (repeated) return 'repeatedQueries';
  return useMs > outsideMs ? 'slowQueries' : 'notThePool';
}

/** @param {CauseShare[]} rows */
function renderCauses(rows) {
  return renderRows(
    [
      { heading: 'cause', value: ({ cause }) => CAUSE_NAMES[cause] },
      { heading: 'waited', value: ({ waitedMs }) => formatQuantity(waitedMs, 'ms') },
      { heading: 'of all', value: ({ share }) => formatShare(share) },
      { heading: 'requests', value: ({ requests }) => requests },
      { heading: 'of waiting', value: ({ requestsShare }) => formatShare(requestsShare) },
    ],
    rows,
  );
}

/** @param {string} line @param {number} width */
function cutLine(line, width) {
  const [first] = layOutText(line, Infinity).split('\n');
  return first.length <= width ? first : `${first.slice(0, width - 1)}…`;
}

/** Leaves out what has no room, from the end. @param {string[][]} blocks */
function fitLines(blocks) {
  const lines = [];
  for (const [index, block] of blocks.entries()) {
    if (index > 0) lines.push('');
    for (const text of block) {
      const added = text.split('\n');
      if (lines.length + added.length <= MAX_LINES) lines.push(...added);
    }
  }
  return lines.join('\n').trimEnd();
}
