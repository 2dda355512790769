import { COMMON } from '../assumptions/common-assumptions.js';
import { isRecord, textOf } from '../base/json-value.js';
import { mean } from '../base/sample-statistics.js';
import { Definitions } from './definitions.js';
import {
  END_RULES,
  EVENT_RULES,
  HEADER_RULES,
  REQUEST_RULES,
  findCheckoutFault,
  findFault,
  findOptionalFault,
} from './line-rules.js';
import { inferResolution } from './resolution.js';
import { OTHER_FILES, splitLines } from './text-lines.js';
import { TraceColumns } from './trace-columns.js';

/** @import { RecordedTrace, ServerSecond } from './recorded-trace.js' */

/** @typedef {{ end?: string, silentMs?: number, lost?: number, waiting?: RecordedTrace['unlisted'] }} LastLine */

/** docs/trace-format.md describes the format, and trace.schema.json each line. */
const TRACE_NAME = 'mongodb-pool-lab';
const TRACE_VERSION = 3;
const HEADER_START = '{"trace":';
/** What the first public release no longer reads. */
const OLD_VERSIONS = [1, 2];

/**
 * Reads a trace that is in memory, such as one that was dropped on a page; see readTraceOf.
 *
 * @param {string} text
 * @param {string} [file] its name, for messages
 * @returns {Promise<RecordedTrace>}
 */
export function readTraceText(text, file = 'The trace') {
  return readTraceOf([text], file);
}

/**
 * Reads a trace in one pass:
 *
 *     text --splitLines--> lines --findFault--> valid lines --TraceColumns--> columns --TraceLines--> RecordedTrace
 *                                                  '--Definitions--> pools, routes and operations
 *
 *
 * @param {AsyncIterable<string> | Iterable<string>} chunks of its text
 * @param {string} file its name, for messages
 * @returns {Promise<RecordedTrace>}
 * @throws {Error} naming the file and the line if it is not one
 */
export async function readTraceOf(chunks, file) {
  /** @type {TraceLines | undefined} */
  let lines;
  let number = 0;
  /** @type {{ number: number, complaint: string } | undefined} */
  let broken;
  /** @type {typeof broken} */
  let cut;
  for await (const batch of splitLines(chunks, file)) {
    for (const line of batch) {
      number++;
      if (line.trim() === '') continue;
      if (lines?.isHistory && line.startsWith(HEADER_START)) {
        // The older half ends here. A full disk may have cut its last line.
        cut ??= broken;
        broken = undefined;
        continue;
      }
      if (broken) throw new Error(`${file}, line ${broken.number}: not a line of a trace: ${broken.complaint}`);
      if (lines) {
        const complaint = lines.add(parseJson(line));
        if (complaint) broken = { number, complaint };
      } else {
        lines = new TraceLines(requireHeader(line, `${file}, line ${number}`));
      }
    }
  }
  if (!lines) throw new Error(`${file} is empty: a trace starts with a line that names its format`);
  const last = broken ?? cut;
  return lines.toTrace(file, last ? `${file}, line ${last.number}: the last line is incomplete and left out` : null);
}

/** The lines of a trace so far. */
class TraceLines {
  #header;
  #definitions = new Definitions();
  #columns = new TraceColumns(this.#definitions);
  /** @type {RecordedTrace['server']} */
  #server;
  /** @type {LastLine} */
  #last = {};

  /** @param {Record<string, any>} header */
  constructor(header) {
    this.#header = header;
  }

  /** Two halves of a history can follow each other. */
  get isHistory() {
    return this.#header.history === true;
  }

  /** @param {any} entry a line after the first @returns {string | undefined} what is wrong with it */
  add(entry) {
    if (!isRecord(entry)) return 'it must be a JSON object';
    if (entry.end !== undefined) return findFault(entry, END_RULES) ?? this.#end(entry);
    if (entry.define !== undefined) return this.#definitions.add(entry);
    if (entry.event !== undefined) return this.#addEvent(entry);
    if (entry.status !== undefined) return findFault(entry, REQUEST_RULES) ?? this.#columns.addRequest(entry);
    return findCheckoutFault(entry) ?? this.#columns.addCheckout(entry);
  }

  /** @param {Record<string, any>} entry @returns {string | undefined} what is wrong with it */
  #addEvent(entry) {
    if (typeof entry.event !== 'string' || !Object.hasOwn(EVENT_RULES, entry.event))
      return `event must be one of ${Object.keys(EVENT_RULES).join(', ')}`;
    return findFault(entry, EVENT_RULES[entry.event]) ?? this.#columns.addEvent(/** @type {any} */ (entry));
  }

  /** @param {string} file @param {string | null} warning @returns {RecordedTrace} */
  toTrace(file, warning) {
    if (this.#columns.length === 0) throw new Error(`${file} has no checkouts`);
    const { resolutionMs } = this.#header;
    const columns = this.#columns.take();
    const server = this.#server ?? meanOfSeconds(columns.seconds.server);
    return {
      file,
      header: this.#header,
      resolutionMs: resolutionMs ?? inferResolution(columns.checkouts),
      ...columns,
      ...(server && { server }),
      unlisted: this.#last.waiting ?? { count: 0, waitedMs: 0 },
      warnings: [...describeGaps(file, this.#last, columns.checkouts), ...(warning ? [warning] : [])],
    };
  }

  /** @param {Record<string, any>} entry @returns {undefined} */
  #end({ overhead, server, ...last }) {
    if (overhead) this.#header.overhead = overhead;
    this.#server = server;
    this.#last = last;
  }
}

/**
 * What the server did, where the last line does not say.
 * @param {ServerSecond[]} seconds
 * @returns {RecordedTrace['server']}
 */
function meanOfSeconds(seconds) {
  const [known, withOthers] = ['busyCores', 'otherBusyCores'].map((name) =>
    seconds.filter((second) => second.cores && second[/** @type {'busyCores'} */ (name)] !== undefined),
  );
  if (known.length === 0) return undefined;
  return {
    cores: Number(known[0].cores),
    busyCores: mean(known.map(({ busyCores }) => Number(busyCores))),
    ...(withOthers.length > 0 && { otherBusyCores: mean(withOthers.map((second) => Number(second.otherBusyCores))) }),
  };
}

/**
 * @param {string} file
 * @param {LastLine} last
 * @param {{ length: number }} checkouts
 * @returns {string[]}
 */
function describeGaps(file, { end, silentMs = 0, lost = 0, waiting }, { length }) {
  const open = waiting?.count ?? 0;
  const silent = `the recorded app did not answer for ${(silentMs / 1000).toFixed(1)} s`;
  const gone = `${lost} ${lost === 1 ? 'checkout is' : 'checkouts are'} missing`;
  return [
    ...(end === 'full' ? ['it reached its size limit'] : []),
    ...(lost > 0 ? [silentMs > 0 ? `${silent}, and ${gone}` : gone] : []),
    ...(open >= Math.max(COMMON.few, COMMON.smallShare * length)
      ? [`${open} checkouts still waited when it ended`]
      : []),
  ].map((reason) => `${file} is incomplete: ${reason}`);
}

/** @param {string} line @param {string} where @returns {Record<string, any>} */
function requireHeader(line, where) {
  const entry = parseJson(line);
  if (entry?.trace !== TRACE_NAME) {
    // UTF-16 has a zero byte in each English letter, and a packed file has some too.
    throw new Error(
      `${where}: ${
        line.includes('\0')
          ? 'this is not UTF-8 text: unpack it, or save it as UTF-8'
          : `this is not a trace, which begins with {"trace":"${TRACE_NAME}","version":${TRACE_VERSION}. ${OTHER_FILES}`
      }`,
    );
  }
  const { version } = entry;
  if (version !== TRACE_VERSION) {
    throw new Error(
      `${where}: this is a trace of version ${textOf(version)}; this release reads version ${TRACE_VERSION}${
        OLD_VERSIONS.includes(version) ? '. Record it again: npx pool-lab record --url URL --out FILE' : ''
      }`,
    );
  }
  const wrong = findOptionalFault(entry, HEADER_RULES);
  if (wrong) throw new Error(`${where}: ${wrong}`);
  return entry;
}

/** @param {string} text @returns {any} undefined if it is not JSON */
function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
