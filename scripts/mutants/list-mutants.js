/**
 * @typedef {object} Mutant a line with one mistake
 * @property {string} file
 * @property {number} line counts from 1
 * @property {string} before
 * @property {string} after
 */

/** What people get wrong. @type {[RegExp, (match: string) => string][]} */
const MISTAKES = [
  [/ (?:===|!==) /g, (match) => (match === ' === ' ? ' !== ' : ' === ')],
  [/ [<>]=? /g, (match) => (match.includes('=') ? match.replace('=', '') : `${match.trimEnd()}= `)],
  [/ (?:&&|\|\|) /g, (match) => (match === ' && ' ? ' || ' : ' && ')],
  [/ [+-] (?=[\w(])/g, (match) => (match === ' + ' ? ' - ' : ' + ')],
  [/\b(?:true|false)\b/g, (match) => String(match !== 'true')],
  [/\bMath\.(?:min|max)\b/g, (match) => (match === 'Math.min' ? 'Math.max' : 'Math.min')],
  [/(?<![\w.'-])\d[\d_]*(?![\w.'])/g, (match) => String(Number(match.replaceAll('_', '')) + 1)],
  [/\bawait (?!import\b)/g, () => ''],
  [
    /^ *(?:\} else )?if \(.+\) (?:\{|return\b|continue\b|break\b|throw\b).*$/g,
    (match) => match.replace(/if \((.+)\) (\{|return\b|continue\b|break\b|throw\b)/, 'if (!($1)) $2'),
  ],
  // A whole statement is missing.
  [/^ {2,}(?:await )?(?:this\.)?#?[\w.]+(?:\?\.)?\(.*\);$/g, () => ''],
];

/**
 * Lists every change of one line that is probably wrong. Comments, imports and texts stay.
 *
 * @param {string} file
 * @param {string} text
 * @returns {Mutant[]}
 */
export function listMutants(file, text) {
  /** @type {Mutant[]} */
  const mutants = [];
  for (const [index, before] of text.split('\n').entries()) {
    if (/^\s*(?:\/?\*|\/\/|import |export \*|`|'|throw )/.test(before) || /['"`].*\s.*['"`]/.test(before)) continue;
    for (const [pattern, change] of MISTAKES)
      for (const { 0: match, index: from } of before.matchAll(pattern)) {
        const after = before.slice(0, from) + change(match) + before.slice(from + match.length);
        if (after !== before) mutants.push({ file, line: index + 1, before, after });
      }
  }
  return mutants;
}
