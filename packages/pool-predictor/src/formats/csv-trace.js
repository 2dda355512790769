import { isDurationMs } from '../duration.js';
import { readRecords } from './csv-records.js';
import { TraceColumns, isStartMs } from './trace-columns.js';

/** @import { TextFile } from './text-lines.js' */
/** @import { Trace } from './trace.js' */

/** @typedef {'started' | 'use' | 'wait' | 'route' | 'request' | 'failed'} Fact */
/** @typedef {{ fact: Fact, read: (text: string) => any, allowed: string }} Column read returns undefined for bad text */

const ALLOWED_COLUMNS = 'start (a time such as 2026-01-01T00:00:00.123Z), startMs or startS, then durationMs or durationS, '
  + 'and optionally route, request, failed, and waitMs or waitS';

const TIME = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)(\.\d+)?(Z|[+-]\d\d:?\d\d)?$/i;

/** How much of a wrong value an error shows. */
const SHOWN_LENGTH = 60;

const FLAGS = new Map([['true', true], ['1', true], ['false', false], ['0', false], ['', false]]);

/** By the column's name in lower case, without separators. @type {Map<string, Column>} */
const COLUMNS = new Map(Object.entries({
  start: {
    fact: 'started', read: parseTime,
    allowed: 'a time such as 2026-01-01T00:00:00.123Z; if it is a number, name the column startMs or startS',
  },
  startms: numbers('started', 1, isStartMs, 'a number of ms'),
  starts: numbers('started', 1000, isStartMs, 'a number of seconds'),
  durationms: numbers('use', 1, isDurationMs, 'a number of ms, up to 365 days'),
  durations: numbers('use', 1000, isDurationMs, 'a number of seconds, up to 365 days'),
  waitms: numbers('wait', 1, isDurationMs, 'a number of ms, up to 365 days'),
  waits: numbers('wait', 1000, isDurationMs, 'a number of seconds, up to 365 days'),
  route: { fact: 'route', read: String, allowed: 'text' },
  request: { fact: 'request', read: String, allowed: 'text' },
  failed: { fact: 'failed', read: (/** @type {string} */ text) => FLAGS.get(text.toLowerCase()), allowed: 'true or false' },
}));

/**
 * Reads a CSV file whose first line names its columns, one checkout on each line after it.
 *
 * @param {TextFile} text
 * @returns {Promise<Trace>}
 * @throws {Error} naming the file, the line, the column that is wrong, and what is allowed
 */
export async function readCsvTrace({ file, lines }) {
  const columns = new TraceColumns(file);
  /** @type {{ names: string[], found: (Column | undefined)[] } | undefined} */
  let header;
  for await (const { fields, line } of readRecords(lines(), file)) {
    if (!header) {
      header = { names: fields, found: requireColumns(fields, `${file}, line ${line}`) };
      continue;
    }
    const { names, found } = header;
    if (fields.length !== names.length) {
      throw new Error(`${file}, line ${line}: it has ${fields.length} fields, but the header has ${names.length}`);
    }
    /** @type {Partial<Record<Fact, any>>} */
    const facts = {};
    for (const [index, column] of found.entries()) {
      if (!column) continue;
      const text = fields[index].trim();
      facts[column.fact] = column.read(text);
      if (facts[column.fact] === undefined) {
        throw new Error(`${file}, line ${line}: ${names[index].trim()} is ${JSON.stringify(text.slice(0, SHOWN_LENGTH))}: `
          + `it must be ${column.allowed}`);
      }
    }
    const { started, use, wait = 0, route, request, failed } = facts;
    columns.add({ startedMs: started, waitMs: wait, useMs: use, route: route || undefined, request: request || null, failed });
  }
  const found = header?.found.map((column) => column?.fact) ?? [];
  const ignored = header?.names.filter((name, index) => !header?.found[index]) ?? [];
  return columns.toTrace({ format: 'CSV' }, {
    lacksWaits: !found.includes('wait'),
    warnings: [
      ...(ignored.length > 0 ? [`${file}: these columns are not used: ${ignored.join(', ')}`] : []),
      ...(found.includes('wait') ? [] : [`${file} does not say how long a request waited for a connection (waitMs). So each `
        + 'start counts as the moment when it got one, and each duration as the time that it kept it. If the durations '
        + 'include waits, the predicted times are too long.']),
      ...(found.includes('route') ? [] : [`${file} has no column "route", so all its checkouts are one route`]),
    ],
  });
}

/** @param {string[]} names @param {string} where @returns {(Column | undefined)[]} by position */
function requireColumns(names, where) {
  const found = names.map((name) => COLUMNS.get(name.toLowerCase().replace(/[^a-z]/g, '')));
  const facts = found.flatMap((column) => (column ? [column.fact] : []));
  const double = names.find((_, index) => found[index] && facts.indexOf(found[index].fact) !== facts.lastIndexOf(found[index].fact));
  if (double !== undefined) throw new Error(`${where}: "${double.trim()}" comes twice, perhaps with two units: keep one`);
  for (const [fact, what] of /** @type {const} */ ([['started', 'start'], ['use', 'duration']])) {
    if (!facts.includes(fact)) {
      throw new Error(`${where}: no column says the ${what}, or it has no unit. The columns can be ${ALLOWED_COLUMNS}, `
        + 'separated by commas');
    }
  }
  return found;
}

/**
 * @param {Fact} fact
 * @param {number} unitMs
 * @param {(ms: unknown) => boolean} isValid
 * @param {string} allowed
 * @returns {Column}
 */
function numbers(fact, unitMs, isValid, allowed) {
  return {
    fact,
    allowed,
    read: (text) => {
      const ms = text === '' ? NaN : Number(text) * unitMs;
      return isValid(ms) ? ms : undefined;
    },
  };
}

/** With microseconds, which Date drops. Without a time zone it is UTC. @param {string} text */
function parseTime(text) {
  const [, date, time, fraction = '', zone = 'Z'] = TIME.exec(text) ?? [];
  const ms = Date.parse(`${date}T${time}${zone.toUpperCase()}`);
  return Number.isNaN(ms) ? undefined : ms + Number(`0${fraction}`) * 1000;
}
