import { RULES } from './count-hidden.js';

/** @import { Assumption } from 'mongodb-pool-predictor/assumptions' */
/** @import { BandFactor } from './calibrate-bands.js' */
/** @import { HiddenCount } from './count-hidden.js' */
/** @import { Range } from './find-range.js' */

/**
 * @typedef {object} Calibration what `npm run calibrate` found
 * @property {Record<string, Range>} ranges by the id of the assumption
 * @property {Record<string, HiddenCount>} rules by the code of the rule
 * @property {BandFactor} [bands]
 */

/** @type {Record<string, string>} */
const SECTIONS = {
  common: 'Everywhere',
  trace: 'What a recording shows',
  server: 'How queries share a server',
  prediction: 'Predictions',
  advice: 'Advice',
  doctor: 'The doctor',
};
const [RULES_TITLE, BANDS_TITLE] = ['Rules that hide figures', 'The width of bands'];

/**
 * The page docs/assumptions.md.
 *
 * @param {Assumption[]} assumptions
 * @param {Calibration} calibration
 * @returns {string}
 */
export function renderAssumptions(assumptions, { ranges, rules, bands }) {
  const titles = [...Object.values(SECTIONS), RULES_TITLE, BANDS_TITLE];
  const tables = Object.entries(SECTIONS).map(([topic, title]) => {
    const rows = assumptions
      .filter(({ id }) => id.startsWith(`${topic}.`))
      .map(({ id, value, unit, why }) => {
        const name = id.slice(topic.length + 1);
        return `| \`${name}\` | ${round(value)} ${unit} | ${describeRange(ranges[id])} | ${why} |`;
      });
    return `## ${title}\n\n| name | value | no verdict changes | why |\n| --- | --- | --- | --- |\n${rows.join('\n')}`;
  });
  return `# What the predictor assumes

${titles.map((title) => `- [${title}](#${anchorOf(title)})`).join('\n')}

These ${assumptions.length} numbers decide what \`doctor\`, \`predict\` and \`advise\` say, and only recordings can
justify them. \`npm run calibrate\` writes this page. It moves one number at a time, by up to ten times, and asks the
[corpus](../corpus/README.md) until another code, another size or another choice of figures is shown; predictions of
one recording of each kind. A number that changes nothing is dead: at most a test notices it. The numbers, and the
recordings that notice them, are in [one place](../packages/pool-predictor/src/assumptions/assumptions.js).

${tables.join('\n\n')}

## ${RULES_TITLE}

Each rule is switched off, alone. Figures of the other sizes were measured; within 15 % or 5 ms, they are right.

| rule | hides alone | of these measured | of these right |
| --- | --- | --- | --- |
${Object.entries(rules)
  .map(([code, { alone, measured, right }]) => `| \`${code}\` | ${alone} | ${measured} | ${right} |`)
  .join('\n')}

## ${BANDS_TITLE}

${bands ? describeBands(bands) : ''}
`;
}

/** @param {Range | undefined} range */
function describeRange(range) {
  if (!range) return 'not tried';
  const { value, low, high } = range;
  if (low === value && high === value) return 'only this one';
  if (low === null && high === null) return 'dead';
  if (low === null) return `up to ${round(Number(high))}`;
  return high === null ? `from ${round(low)}` : `${round(low)} to ${round(high)}`;
}

/** @param {BandFactor} bands */
function describeBands({ kinds, figures, factor, low, high, heldShare }) {
  return `For 90 % of the figures to lie in their bands, all bands would have to be ${round(factor)} times as wide.
Without one of the ${kinds} kinds of load, it is ${round(low)} to ${round(high)} times, whichever is left out.
With the factor of all other kinds, ${round(100 * heldShare)} % of ${figures} figures lie in their bands.`;
}

/** @param {number} value */
const round = (value) => Number(value.toPrecision(3));

/** The id that GitHub gives to a heading. @param {string} title */
function anchorOf(title) {
  return title.toLowerCase().replaceAll(' ', '-');
}

/** Rules that hide no figure alone. @param {Calibration} calibration @returns {string[]} their codes */
export function listIdleRules({ rules }) {
  return Object.keys(RULES).filter((code) => !(rules[code]?.alone > 0));
}
