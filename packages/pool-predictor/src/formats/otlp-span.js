import { isRecord } from '../is-record.js';

/**
 * What a prediction needs of a span.
 *
 * @typedef {object} Span
 * @property {string} key of the span; unique
 * @property {string} parentKey the parent's key, or of no span
 * @property {string} name
 * @property {boolean} isRequest whether the app served something in it: a server or consumer span
 * @property {string} method of its HTTP request, or ''
 * @property {string | undefined} path of its HTTP request: the route if known
 * @property {string | undefined} operation of GraphQL
 * @property {boolean} isMongo whether it is a MongoDB client's
 * @property {boolean} hasFailed
 * @property {bigint} startNs since 1970; only of a MongoDB span, else 0
 * @property {bigint} endNs the same
 * @property {string} process that made it
 * @property {string} server host:port, of a MongoDB span
 */

/** In OTLP JSON these are numbers; some exporters write names. */
const REQUEST_KINDS = [2, 5, 'SPAN_KIND_SERVER', 'SPAN_KIND_CONSUMER'];
const ERROR_CODES = [2, 'STATUS_CODE_ERROR'];

/** A part of a path that is probably an id: a number, an ObjectId, a UUID, or another long word with digits. */
const ID = /^(\d+|[\da-f]{24}|[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}|(?=.*\d)[\w-]{16,})$/i;

/**
 * @param {Record<string, any>} span of OTLP JSON
 * @param {string} process that made it
 * @returns {Span}
 * @throws {Error} saying which field is wrong, and what is allowed
 */
export function decodeSpan(span, process) {
  const { traceId, spanId, name, kind, status } = span;
  const parentSpanId = span.parentSpanId ?? '';
  if (![traceId, spanId, parentSpanId].every(isText)) throw new Error('traceId, spanId and parentSpanId must be text');
  const attributes = decodeAttributes(span.attributes);
  const isRequest = REQUEST_KINDS.includes(kind);
  const isMongo = !isRequest && (attributes.get('db.system.name') ?? attributes.get('db.system')) === 'mongodb';
  const route = attributes.get('http.route');
  const path = attributes.get('url.path') ?? attributes.get('http.target');
  return {
    key: `${traceId}/${spanId}`,
    parentKey: `${traceId}/${parentSpanId}`,
    name: isText(name) ? name : 'unnamed',
    isRequest,
    method: attributes.get('http.request.method') ?? attributes.get('http.method') ?? '',
    path: route ?? (path === undefined ? undefined : foldPath(path)),
    operation: attributes.get('graphql.operation.name'),
    isMongo,
    hasFailed: ERROR_CODES.includes(status?.code),
    startNs: isMongo ? decodeTime(span, 'startTimeUnixNano') : 0n,
    endNs: isMongo ? decodeTime(span, 'endTimeUnixNano') : 0n,
    process,
    server: [
      attributes.get('server.address') ?? attributes.get('net.peer.name'),
      attributes.get('server.port') ?? attributes.get('net.peer.port'),
    ].join(':'),
  };
}

/**
 * Text and integers; the others are never needed.
 *
 * @param {unknown} attributes of a span or a resource
 * @returns {Map<string, string>}
 */
export function decodeAttributes(attributes = []) {
  if (!Array.isArray(attributes)) throw new Error('attributes must be a list');
  return new Map(attributes.flatMap((attribute) => {
    const { key, value } = Object(attribute);
    const text = value?.stringValue ?? value?.intValue;
    return isText(key) && (isText(text) || Number.isInteger(text)) ? [[key, String(text)]] : [];
  }));
}

/** @param {unknown} value @param {string} what @returns {Record<string, any>} */
export function requireRecord(value, what) {
  if (!isRecord(value)) throw new Error(`${what} must be an object`);
  return value;
}

/** 64-bit integers are text in OTLP JSON, but older exporters write numbers. @param {any} span @param {string} field */
function decodeTime(span, field) {
  const value = span[field];
  if ((typeof value === 'string' && /^\d{1,20}$/.test(value)) || (Number.isInteger(value) && value >= 0)) return BigInt(value);
  throw new Error(`${field} must be nanoseconds since 1970, a whole number as text`);
}

/** Without its query, and with a placeholder for each id: one route, not one for each user. @param {string} path */
function foldPath(path) {
  return path.replace(/[?#][^]*$/, '').split('/').map((part) => (ID.test(part) ? ':id' : part)).join('/');
}

/** @param {unknown} value @returns {value is string} */
function isText(value) {
  return typeof value === 'string';
}
