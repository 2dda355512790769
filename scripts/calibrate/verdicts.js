import { listFacts } from '../corpus/facts.js';

/** Figures that are answers: sizes. */
const SIZES = /(?:^|\.)(?:poolSize|knee)$/;
/** What lists them, or proves them. */
const LEFT_OUT = /(?:^|\.)(?:causes|proofs|samples)\./;

/**
 * What an answer says, without its figures: codes, sizes, and which figures are shown. Two answers that say the same
 * differ only by figures that moved.
 *
 * @param {object} answer of a command
 * @returns {string}
 */
export function listVerdicts(answer) {
  return [...listFacts(answer)]
    .filter(([path]) => !LEFT_OUT.test(path))
    .map(([path, fact]) => `${path}: ${typeof fact === 'number' && !SIZES.test(path) ? 'a figure' : fact}`)
    .join('\n');
}
