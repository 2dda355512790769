import fc from 'fast-check';
import { oddValues, sentencesOf, texts } from 'test-support/fuzz-arbitraries.js';

/** @typedef {{ method: string, path: string, headers: Record<string, string>, body?: Buffer }} HttpRequest */

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'TRACE', 'PROPFIND', 'QUERY'];
const HEADERS = [
  'Host',
  'Origin',
  'Accept',
  'Accept-Encoding',
  'Content-Encoding',
  'Content-Type',
  'Expect',
  'Range',
  'If-None-Match',
  'If-Modified-Since',
  'Authorization',
  'Cookie',
  'Connection',
  'Upgrade',
  'X-Forwarded-Host',
  'Sec-Fetch-Site',
  'Last-Event-ID',
];
const HEADER_VALUES = [
  'gzip',
  'br',
  'null',
  'bytes=0-5',
  'bytes=9-1',
  '100-continue',
  'application/json; charset=utf-7',
  'text/plain',
  'upgrade',
  'h2c',
];
const PATH_WORDS = [
  '/',
  '..',
  '%2e%2e%2f',
  '%00',
  '%ff',
  '%',
  '?',
  '&',
  '=',
  'after',
  '[',
  ']',
  'index.html',
  '.env',
  '\\',
  ';',
  '*',
  '5',
];
/** The client sets these itself. */
const FRAMING = /^(|content-length|transfer-encoding|__proto__)$/i;

// HTTP parsers refuse all other characters. The target `bytes to the port` sends those.
const headerName = texts.map((text) => text.replaceAll(/[^\w-]/g, '')).filter((text) => !FRAMING.test(text));
const headerValue = texts.map((text) => text.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '').trim());
const pathEnd = sentencesOf(PATH_WORDS, 8).map((text) => text.replaceAll(/[^\x21-\x7e\x80-\xff]|#/g, ''));

const headers = fc.dictionary(
  fc.oneof(fc.constantFrom(...HEADERS), headerName),
  fc.oneof(fc.constantFrom(...HEADER_VALUES), headerValue),
  { maxKeys: 4 },
);
const method = fc.oneof(
  { weight: 3, arbitrary: fc.constant('GET') },
  { weight: 1, arbitrary: fc.constantFrom(...METHODS) },
);

/** @param {fc.Arbitrary<unknown>} values */
const asJson = (values) => values.map((value) => Buffer.from(JSON.stringify(value)));
const bodies = fc.oneof(
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 1500 }).map((bytes) => Buffer.from(bytes)) },
  { weight: 3, arbitrary: asJson(oddValues) },
);

/** Requests below a path, with all methods. @param {string} start @returns {fc.Arbitrary<HttpRequest>} */
export function requestsBelow(start) {
  const path = fc.oneof(
    fc.constant(start),
    pathEnd.map((text) => start + text),
  );
  return fc.record({ method, path, headers, body: fc.option(bodies, { nil: undefined }) });
}

/**
 * POST requests to a control route.
 * @param {string} path
 * @param {fc.Arbitrary<unknown>} bodiesOfPage
 * @returns {fc.Arbitrary<HttpRequest & { isFromPage: boolean }>} isFromPage: whether the page would send it
 */
export function postsTo(path, bodiesOfPage) {
  return fc.record({
    method: fc.constant('POST'),
    path: fc.constant(path),
    headers,
    body: fc.oneof(bodies, asJson(bodiesOfPage)),
    isFromPage: fc.boolean(),
  });
}
