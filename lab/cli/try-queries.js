import { describeWhatIf } from 'mongodb-pool-page/universal/speedup-words.js';
import { findSpeedups, tryChange } from 'mongodb-pool-predictor';
import { layOutText, renderRows } from '../report/table.js';
import { collect } from './option-parsers.js';

/** @import { Slo, Speedups, WhatIfChange, WhatIfQueries } from 'mongodb-pool-predictor' */
/** @import { OptionRow } from './add-command.js' */

/** See parseChange. @type {OptionRow} */
export const WHAT_IF = [
  '--what-if <change>',
  "try other queries, e.g. 'find products=50%' (of their time),\n'/report=none' or '/report=own-client:2'; repeatable",
  collect((text) => text),
];

/**
 * Tries what faster queries would do to a recording.
 *
 * @param {Omit<Parameters<typeof tryChange>[0], 'tried'> & { goals?: Slo[], changes?: WhatIfChange[], isRanked?:
 *   boolean }} options changes: to try; isRanked: whether to find the query that helps most, too, default true
 * @returns {Promise<{ speedups: Speedups | null, whatIf: WhatIfQueries[] }>}
 */
export async function tryQueries({ goals, changes = [], isRanked = true, ...input }) {
  const speedups = isRanked ? await findSpeedups({ ...input, goals }) : null;
  const whatIf = [];
  for (const tried of changes) whatIf.push(await tryChange({ ...input, tried }));
  return { speedups, whatIf };
}

/** @param {WhatIfQueries} tried @param {number} width of the terminal */
export function renderWhatIf(tried, width) {
  const { headline, rows } = describeWhatIf(tried);
  if (rows.length === 0) return layOutText(headline, width);
  const table = renderRows(
    [
      { heading: 'route', value: ({ route }) => route },
      { heading: 'now', value: ({ now }) => now },
      { heading: 'then', value: ({ then }) => then },
    ],
    rows,
  );
  return `${layOutText(headline, width)}\n${table}`;
}
