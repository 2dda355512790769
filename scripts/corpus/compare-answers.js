import { listFacts } from './facts.js';

/** A figure that moved by more than this share of its former value is listed. */
const MOVED_SHARE = 0.01;
/** Codes: what an answer decides, in the order in which they are shown. */
const VERDICTS = [
  'doctor.verdict.cause',
  'doctor.verdict.isProblem',
  'doctor.poolSize',
  'predict.check.status',
  'predict.check.reason',
  'advise.verdict',
  'advise.poolSize',
];

/** @import { Answers } from './recordings.js' */

/**
 * @typedef {object} Changes of one recording
 * @property {string[]} verdicts that flipped: `doctor.verdict.cause: fullPool -> none`
 * @property {string[]} shown figures shown now that were withheld
 * @property {string[]} withheld figures withheld now that were shown
 * @property {string[]} moved figures that moved by more than 1 %
 * @property {string[]} other facts that changed, came or went
 */

/**
 * Compares what the commands say of a recording with what is stored.
 *
 * @param {Answers} before
 * @param {Answers} after
 * @returns {Changes}
 */
export function compareAnswers(before, after) {
  const [old, now] = [before, after].map((answers) => listFacts(answers));
  /** @type {Changes} */
  const changes = { verdicts: [], shown: [], withheld: [], moved: [], other: [] };
  for (const path of new Set([...VERDICTS, ...old.keys(), ...now.keys()])) {
    const [one, other] = [old.get(path), now.get(path)];
    if (one !== other) changes[kindOf(path, one, other)].push(`${path}: ${show(one)} -> ${show(other)}`);
  }
  return changes;
}

/** @param {Answers | undefined} before @param {Answers} after */
export function hasChanged(before, after) {
  return JSON.stringify(before) !== JSON.stringify(after);
}

/** @typedef {string | number | boolean | null | undefined} Fact */

/** @param {string} path @param {Fact} before @param {Fact} after @returns {keyof Changes} */
function kindOf(path, before, after) {
  if (VERDICTS.includes(path)) return 'verdicts';
  const isFigure = path.endsWith('Ms');
  if (isFigure && before === null && typeof after === 'number') return 'shown';
  if (isFigure && after === null && typeof before === 'number') return 'withheld';
  if (typeof before !== 'number' || typeof after !== 'number') return 'other';
  return Math.abs(after - before) > MOVED_SHARE * Math.abs(before) ? 'moved' : 'other';
}

/** @param {Fact} fact */
function show(fact) {
  return fact === undefined ? 'missing' : String(fact);
}
