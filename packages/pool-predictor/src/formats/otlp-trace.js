import { isDurationMs } from '../duration.js';
import { nameRoutes } from '../scenario/route-names.js';
import { keyOf } from '../scenario/workload-request.js';
import { decodeAttributes, decodeSpan, requireRecord } from './otlp-span.js';
import { parseJson } from './parse-json.js';
import { TraceColumns } from './trace-columns.js';

/** @import { Span } from './otlp-span.js' */
/** @import { TextFile } from './text-lines.js' */
/** @import { Trace } from './trace.js' */

/** @typedef {{ span: Span, top: Span, operation: string | undefined }} Command see findTop */

/** In characters. An export can be one line. */
const MAX_LENGTH = 2 ** 28;

/** Spans that are nested deeper are in a loop. */
const MAX_DEPTH = 1000;

/** What tells the processes of an app apart. */
const PROCESS_ATTRIBUTES = ['service.name', 'service.instance.id', 'host.name', 'process.pid'];

/**
 * Reads an OpenTelemetry export of spans as OTLP JSON: one document, or one on each line, as the collector's file
 * exporter writes them. A checkout is a span of a MongoDB client. The server span above it gives the route and the
 * request.
 *
 * Instrumentations start a command's span when the driver sends it, after the wait for a connection: in Node.js they wrap
 * Connection.command, elsewhere they listen to the driver's command events. A driver that makes its own spans puts those
 * of the commands below one for the operation, which includes the wait. So only the innermost MongoDB spans count.
 *
 * @param {TextFile} text
 * @returns {Promise<Trace>}
 * @throws {Error} naming the file, the line and the span that is wrong
 */
export async function readOtlpTrace({ file, lines }) {
  /** @type {string[]} */
  const warnings = [];
  /** @type {Map<string, Span>} */
  const spans = new Map();
  for await (const { document, where } of readDocuments(lines({ maxLength: MAX_LENGTH }), file, warnings)) {
    try {
      for (const span of listSpans(document)) spans.set(span.key, span);
    } catch (cause) {
      throw new Error(`${where}: ${/** @type {Error} */ (cause).message}`, { cause });
    }
  }
  const mongo = [...spans.values()].filter(({ isMongo }) => isMongo);
  if (mongo.length === 0) {
    throw new Error(`${file} has no span of a MongoDB client among its ${spans.size} spans: such a span has the attribute `
      + 'db.system.name or db.system with the value "mongodb"');
  }
  const operations = new Set(mongo.map(({ parentKey }) => parentKey));
  const commands = mongo.filter(({ key }) => !operations.has(key)).map((span) => ({ span, ...findTop(span, spans) }));
  const nameRoute = createRouteNames(commands);
  const columns = new TraceColumns(file);
  let untimed = 0;
  for (const command of commands) {
    const { span, top } = command;
    const useMs = Number(span.endNs - span.startNs) / 1e6;
    if (span.startNs > 0n && isDurationMs(useMs)) {
      const request = top.isRequest ? top.key : null;
      columns.add({
        startedMs: Number(span.startNs) / 1e6, waitMs: 0, useMs, route: nameRoute(command), request, failed: span.hasFailed,
      });
    } else {
      untimed++;
    }
  }
  if (untimed > 0) {
    warnings.push(`Left out, because they have no end or end before they start: ${untimed} of ${commands.length} MongoDB spans`);
  }
  return columns.toTrace({ format: 'OTLP JSON' },
    { lacksWaits: true, warnings: [...describeLimits(file, commands), ...warnings] });
}

/**
 * @param {AsyncIterable<string>} lines
 * @param {string} file
 * @param {string[]} warnings
 * @returns {AsyncGenerator<{ document: unknown, where: string }, void>}
 */
async function* readDocuments(lines, file, warnings) {
  let number = 0;
  /** What is not a document on a line of its own. @type {string[]} */
  const rest = [];
  let length = 0;
  for await (const line of lines) {
    number++;
    const document = rest.length === 0 ? parseJson(line) : undefined;
    if (document !== undefined) {
      yield { document, where: `${file}, line ${number}` };
    } else if (rest.length > 0 || line.trim() !== '') {
      rest.push(line);
      length += line.length;
      if (length > MAX_LENGTH) throw new Error(`${file} is too long for one JSON document: export one on each line`);
    }
  }
  const first = number - rest.length + 1;
  const document = parseJson(rest.join('\n'));
  if (document !== undefined) yield { document, where: file };
  else if (rest.length === 1 && first > 1) warnings.push(`${file}, line ${first}: the last line is incomplete and left out`);
  else if (rest.length > 0) throw new Error(`${file}, line ${first}: not valid JSON`);
}

/** @param {unknown} document @returns {Generator<Span, void>} */
function* listSpans(document) {
  const { resourceSpans = [] } = requireRecord(document, 'an export'); // Or metrics and logs, in the same file.
  for (const [resource, { resource: owner, scopeSpans = [] }] of requireList(resourceSpans, 'resourceSpans')) {
    const attributes = decodeAttributes(owner?.attributes);
    const process = PROCESS_ATTRIBUTES.map((name) => attributes.get(name)).join(' ');
    for (const [scope, { spans = [] }] of requireList(scopeSpans, `${resource}.scopeSpans`)) {
      for (const [at, span] of requireList(spans, `${scope}.spans`)) {
        try {
          yield decodeSpan(span, process);
        } catch (cause) {
          throw new Error(`${at}: ${/** @type {Error} */ (cause).message}`, { cause });
        }
      }
    }
  }
}

/** @param {unknown} list @param {string} name @returns {[at: string, entry: Record<string, any>][]} */
function requireList(list, name) {
  if (!Array.isArray(list)) throw new Error(`${name} must be a list`);
  return list.map((entry, index) => [`${name}[${index}]`, requireRecord(entry, `${name}[${index}]`)]);
}

/**
 * @param {Span} span
 * @param {Map<string, Span>} spans
 * @returns {{ top: Span, operation: string | undefined }} top: the request above it, or else the outermost span; operation: of
 *   GraphQL, from any span on the way
 */
function findTop(span, spans) {
  let [top, { operation }] = [span, span];
  for (let depth = 0; depth < MAX_DEPTH && !top.isRequest; depth++) {
    const parent = spans.get(top.parentKey);
    if (!parent) break;
    top = parent;
    operation ??= top.operation;
  }
  return { top, operation };
}

/** Names routes as in a scenario; see nameRoutes. @param {Command[]} commands @returns {(command: Command) => string} */
function createRouteNames(commands) {
  const endpointOf = (/** @type {Command} */ { top: { method, path = '' }, operation }) => (
    { method, path, url: path, operation, isOwn: true });
  const names = nameRoutes(commands.filter(({ top }) => top.path !== undefined).map(endpointOf));
  return (command) => names.get(keyOf(endpointOf(command)))?.trim() ?? command.top.name;
}

/** @param {string} file @param {Command[]} commands */
function describeLimits(file, commands) {
  const processes = new Set(commands.map(({ span }) => span.process)).size;
  const servers = new Set(commands.map(({ span }) => span.server)).size;
  const orphans = commands.filter(({ top }) => !top.isRequest).length;
  return [
    `${file} is an OpenTelemetry export. Its spans do not show how long a request waited for a connection: each starts `
    + 'when its command is sent. So the load arrives as if nobody had waited, which is right if the pool had connections '
    + 'to spare. A connection is busy a little longer than its span, and a transaction keeps it between commands. If the '
    + 'app exports only a sample of its requests, the real load is larger.',
    ...(processes * servers > 1 ? [`The spans come from ${processes} ${processes === 1 ? 'process' : 'processes'} and `
      + `went to ${servers} ${servers === 1 ? 'server' : 'servers'}. Each process has a pool for each server, but here `
      + 'one pool gets the whole load: export the spans of one process and one server'] : []),
    ...(orphans > 0 ? [`No server span above a MongoDB span: ${orphans} of ${commands.length}. Their route is the name of the `
      + 'outermost span, and it is unknown which of them belong to one request.'] : []),
  ];
}
