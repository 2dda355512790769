import { isDurationMs } from '../duration.js';
import { isRecord } from '../is-record.js';
import { textOf } from '../text-of.js';
import { parseJson } from './parse-json.js';
import { MAX_START_MS, TraceColumns, isStartMs } from './trace-columns.js';

/** @import { TextFile } from './text-lines.js' */
/** @import { Trace } from './trace.js' */

/** docs/trace-format.md describes the format, and trace.schema.json each line of version 2. */
export const TRACE_NAME = 'mongodb-pool-lab';
export const TRACE_VERSION = 2;

/** By version: the field that says when a checkout started. @type {Record<number, string>} */
const STARTED_FIELDS = { 1: 'askedMs', 2: 'checkOutStartedMs' };

const ENDS = ['closed', 'full'];
const MAX_OVERHEADS = 200;
/** More than any machine has. */
const MAX_CORES = 1e5;
const SERVER = `{"cores":2,"busyCores":1.5} with numbers up to ${MAX_CORES}, cores above 0`;
const MS = 'a number of ms from 0 to 365 days';
const OVERHEAD = `{"kind":"sample","valuesMs":[...]} with 1 to ${MAX_OVERHEADS} values, each ${MS}`;

/**
 * Reads a trace of this lab.
 *
 * @param {TextFile} text
 * @returns {Promise<Trace>}
 * @throws {Error} naming the file and the line if it is not one
 */
export async function readLabTrace({ file, lines }) {
  /** @type {Record<string, any> | undefined} */
  let header;
  /** @type {Trace['server']} */
  let server;
  const columns = new TraceColumns(file);
  const warnings = [];
  let number = 0;
  /** @type {{ number: number, complaint: string } | undefined} */
  let broken;
  for await (const line of lines()) {
    number++;
    if (line.trim() === '') continue;
    if (broken) throw new Error(`${file}, line ${broken.number}: not a line of a trace: ${broken.complaint}`);
    const entry = parseJson(line);
    if (!header) {
      header = requireHeader(entry, file);
      continue;
    }
    const field = STARTED_FIELDS[header.version];
    const complaint = findFault(entry, field);
    if (complaint) broken = { number, complaint };
    else if (entry.end === undefined) {
      const { waitMs, useMs, route, request, failed } = entry;
      columns.add({ startedMs: entry[field], waitMs, useMs, route, request, failed });
    } else {
      if (entry.overhead) header.overhead = entry.overhead;
      ({ server } = entry);
      if (entry.end === 'full') warnings.push(`${file} is incomplete: it reached its size limit`);
    }
  }
  if (!header) throw new Error(`${file} is empty: a trace starts with a line that names its format`);
  if (broken) warnings.push(`${file}, line ${broken.number}: the last line is incomplete and left out`);
  return columns.toTrace(header, { warnings, server });
}

/** @param {any} entry @param {string} file @returns {Record<string, any>} */
function requireHeader(entry, file) {
  if (entry?.trace !== TRACE_NAME) {
    throw new Error(`${file} is not a trace: its first line must begin with `
      + `{"trace":"${TRACE_NAME}","version":${TRACE_VERSION}. It may also be an OpenTelemetry export (OTLP JSON), a log `
      + 'of MongoDB 4.4 or later, or a CSV file with columns such as start, durationMs and route');
  }
  const { version, startedAt, maxPoolSize, pool, overhead } = entry;
  if (!Number.isInteger(version) || !(version in STARTED_FIELDS)) {
    throw new Error(`${file} is a trace of version ${textOf(version)}; this release reads versions `
      + `${Object.keys(STARTED_FIELDS).join(' and ')}`);
  }
  /** @type {[name: string, isValid: boolean, allowed: string][]} */
  const rules = [
    ['startedAt', startedAt === undefined || typeof startedAt === 'string', 'a time as text'],
    ['maxPoolSize', maxPoolSize === undefined || isCount(maxPoolSize), 'a whole number of at least 0'],
    ['pool', pool === undefined || isRecord(pool), 'an object'],
    ['overhead', overhead === undefined || isOverhead(overhead), OVERHEAD],
  ];
  const wrong = rules.find(([, isValid]) => !isValid);
  if (wrong) throw new Error(`${file}, line 1: ${wrong[0]} must be ${wrong[2]}`);
  return entry;
}

/** @param {any} entry @param {string} field @returns {string | undefined} what is wrong with a line after the first */
function findFault(entry, field) {
  if (!isRecord(entry)) return 'it must be a JSON object';
  const { end, overhead, server, waitMs, useMs, route, request, failed } = entry;
  if (end !== undefined) {
    if (!ENDS.includes(end)) return `end must be ${ENDS.join(' or ')}`;
    if (server !== undefined && !isServer(server)) return `server must be ${SERVER}`;
    return overhead === undefined || isOverhead(overhead) ? undefined : `overhead must be ${OVERHEAD}`;
  }
  if (!isStartMs(entry[field])) return `${field} must be a number of ms from -${MAX_START_MS} to ${MAX_START_MS}`;
  if (!(waitMs === null && useMs === null) && !(isDurationMs(waitMs) && isDurationMs(useMs))) {
    return `waitMs and useMs must each be ${MS}, or both null`;
  }
  if (route !== undefined && typeof route !== 'string') return 'route must be text';
  if (request !== undefined && !isCount(request)) return 'request must be a whole number of at least 0';
  if (failed !== undefined && typeof failed !== 'boolean') return 'failed must be true or false';
  return undefined;
}

/** @param {unknown} value */
function isCount(value) {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/** @param {unknown} value */
function isServer(value) {
  if (!isRecord(value)) return false;
  const { cores, busyCores } = value;
  return Number(cores) > 0 && [cores, busyCores].every((count) => typeof count === 'number' && count >= 0 && count <= MAX_CORES);
}

/** @param {unknown} value */
function isOverhead(value) {
  if (!isRecord(value) || value.kind !== 'sample' || !Array.isArray(value.valuesMs)) return false;
  return value.valuesMs.length >= 1 && value.valuesMs.length <= MAX_OVERHEADS && value.valuesMs.every(isDurationMs);
}
