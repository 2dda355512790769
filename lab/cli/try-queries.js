import { describeWhatIf } from 'mongodb-pool-page/universal/speedup-words.js';
import { findSpeedups, tryChange } from 'mongodb-pool-predictor';
import { layOutText, renderRows } from '../report/table.js';
import { inThreads } from './in-threads.js';
import { collect } from './option-parsers.js';

/** @import { Load, Recording, Service, Slo, Speedups, Trust } from 'mongodb-pool-predictor' */
/** @import { WhatIfChange, WhatIfQueries } from 'mongodb-pool-predictor' */
/** @import { OptionRow } from './add-command.js' */

/** See parseChange. @type {OptionRow} */
export const WHAT_IF = [
  '--what-if <change>',
  "try other queries, e.g. 'find products=50%' (of their time),\n'/report=none' or '/report=own-client:2'; repeatable",
  collect((text) => text),
];

/**
 * @typedef {Pick<Recording, 'trace' | 'settings' | 'overhead'> & { load: Load, services: Record<string, Service> }}
 *   TriedRecording
 *
 * @typedef {object} QueryTrials
 * @property {Speedups | null} speedups
 * @property {WhatIfQueries[]} whatIf
 */

/**
 * Tries what faster queries would do to a recording.
 *
 * @param {TriedRecording} recording
 * @param {Trust} trust
 * @param {{ goals?: Slo[], changes?: WhatIfChange[], isRanked?: boolean }} [options] changes: to try; isRanked: whether
 *   to find the query that helps most, too, default true
 * @returns {Promise<QueryTrials>}
 */
export async function tryQueries(recording, trust, { goals, changes = [], isRanked = true } = {}) {
  const { load, services, overhead } = recording;
  if (!isRanked && changes.length === 0) return { speedups: null, whatIf: [] };
  return inThreads({ load, services, overhead, resolutionMs: 0 }, async ({ simulateRuns }) => {
    const input = { recording, trust, simulateRuns };
    const speedups = isRanked ? await findSpeedups({ ...input, goals }) : null;
    const tried = [];
    for (const each of changes) tried.push(await tryChange({ ...input, tried: each }));
    return { speedups, whatIf: tried };
  });
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
