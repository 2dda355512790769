import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { scratchFolder } from '../../../../test/support/scratch-folder.js';
import { readTrace } from '../../src/node/read-trace.js';

// Exported by the OpenTelemetry SDK for JavaScript 2.12 from an app with a real MongoDB: two GET /orders/:id with one query,
// two GET /customers/ID (no http.route) with two, a POST /orders/:id, a query that failed, and a job outside of any request.
const EXPORT = 'packages/pool-predictor/test/trace/export.otlp.json';
const folder = await scratchFolder();

/** @param {string} text */
async function readText(text) {
  const file = path.join(folder, 'spans.json');
  await writeFile(file, text);
  return readTrace(file);
}

/** @param {object} fields */
const spanOf = (fields) => ({
  traceId: 'a', spanId: '1', startTimeUnixNano: '1767225600000000000', endTimeUnixNano: '1767225600002500000', kind: 3,
  attributes: [{ key: 'db.system.name', value: { stringValue: 'mongodb' } }], ...fields,
});
/** @param {object[]} spans */
const documentOf = (...spans) => ({ resourceSpans: [{ resource: { attributes: [] }, scopeSpans: [{ spans }] }] });
/** @param {object[]} spans */
const readSpans = (...spans) => readText(JSON.stringify(documentOf(...spans)));

test('an export of the OpenTelemetry SDK has the routes, requests and uses of its MongoDB spans', async () => {
  const { routes, routeOf, requestOf, useMs, waitMs, lacksWaits, header, warnings } = await readTrace(EXPORT);
  expect(Array.from(routeOf, (index) => routes[index])).toEqual([
    'GET /orders/:id', '/customers/:id', '/customers/:id', 'GET /orders/:id', '/customers/:id', '/customers/:id',
    'POST /orders/:id', 'nightly job',
  ]);
  expect(Array.from(requestOf ?? [])).toEqual([0, 1, 1, 2, 3, 3, 4, -1]);
  expect([useMs[0], waitMs[0], lacksWaits, header.maxPoolSize]).toEqual([3.753706, 0, true, undefined]);
  expect(warnings).toEqual([
    expect.stringMatching(/do not show how long a request waited .* as if nobody had waited/),
    expect.stringMatching(/^No server span above a MongoDB span: 1 of 9\./),
    expect.stringMatching(/^1 checkout had a failed operation/),
  ]);
});

test('one document on each line, in any order and cut off, and one over several lines, say the same', async () => {
  const whole = JSON.parse(await readFile(EXPORT, 'utf8'));
  const { resource, scopeSpans } = whole.resourceSpans[0];
  const lines = scopeSpans.flatMap((/** @type {any} */ { scope, spans }) => spans.map((/** @type {any} */ span) => (
    JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ scope, spans: [span] }] }] }))));
  const expected = await readTrace(EXPORT);
  const { warnings, ...each } = await readText([...lines, '{"resourceMetrics":[]}', '{"resourceSpans":[{"re'].join('\n'));
  expect({ ...each, warnings: [] }).toEqual({ ...expected, warnings: [] });
  expect(warnings).toContainEqual(expect.stringMatching(/line \d+: the last line is incomplete and left out/));
  expect({ ...await readText(JSON.stringify(whole, null, 2)), warnings: [] }).toEqual({ ...expected, warnings: [] });
});

test('a span of the driver for an operation, which includes the wait, gives way to those of its commands', async () => {
  const { useMs, routes } = await readSpans(
    spanOf({ spanId: '1', name: 'find shop.orders', endTimeUnixNano: '1767225600900000000' }),
    spanOf({ spanId: '2', parentSpanId: '1', name: 'find' }));
  expect([Array.from(useMs), routes]).toEqual([[2.5], ['find shop.orders']]);
});

test('operations of GraphQL on one path are routes of their own', async () => {
  const text = (/** @type {string} */ key, /** @type {string} */ stringValue) => ({ key, value: { stringValue } });
  const { routes } = await readSpans(...['GetUser', 'GetCart'].flatMap((name) => [
    spanOf({ spanId: `1${name}`, kind: 2, attributes: [text('http.route', '/graphql'), text('http.request.method', 'POST')] }),
    spanOf({ spanId: `2${name}`, parentSpanId: `1${name}`, kind: 1, attributes: [text('graphql.operation.name', name)] }),
    spanOf({ spanId: `3${name}`, parentSpanId: `2${name}` }),
  ]));
  expect(routes).toEqual(['/graphql GetUser', '/graphql GetCart']);
});

test('several processes and servers are a warning: each has a pool of its own', async () => {
  const [one] = documentOf(spanOf({})).resourceSpans;
  const other = { resource: { attributes: [{ key: 'service.instance.id', value: { stringValue: 'b' } }] }, scopeSpans: [{ spans: [spanOf({ spanId: '2' })] }] };
  const { warnings } = await readText(JSON.stringify({ resourceSpans: [one, other] }));
  expect(warnings).toContainEqual(expect.stringMatching(/^The spans come from 2 processes and went to 1 server\./));
});

test('spans without an end are left out with a warning', async () => {
  const { useMs, warnings } = await readSpans(spanOf({}), spanOf({ spanId: '2', endTimeUnixNano: 0 }));
  expect(useMs).toHaveLength(1);
  expect(warnings).toContainEqual(expect.stringMatching(/no end .*: 1 of 2 MongoDB spans$/));
});

test('spans that are their own parents end', async () => {
  const { routes } = await readSpans(spanOf({ parentSpanId: '2', name: 'a' }), spanOf({ spanId: '2', parentSpanId: '1', name: 'b', attributes: [] }));
  expect(routes).toHaveLength(1);
});

describe('what is wrong is named', () => {
  const head = '{"resourceSpans":';
  test.each([
    [`${head}`, /spans\.json, line 1: not valid JSON$/],
    [`${head}[]}\n{oops\n{"resourceSpans":[]}`, /spans\.json, line 2: not valid JSON$/],
    [`${head}7}`, /spans\.json, line 1: resourceSpans must be a list$/],
    [`${head}[7]}`, /line 1: resourceSpans\[0\] must be an object$/],
    [`${head}[{"scopeSpans":[{"spans":{}}]}]}`, /line 1: resourceSpans\[0\]\.scopeSpans\[0\]\.spans must be a list$/],
    [`${head}[{"resource":{"attributes":7}}]}`, /line 1: attributes must be a list$/],
    [JSON.stringify(documentOf(spanOf({}), spanOf({ spanId: 7 }))), /spans\[1\]: traceId, spanId and parentSpanId must be text$/],
    [JSON.stringify(documentOf(spanOf({ startTimeUnixNano: 'now' }))), /spans\[0\]: startTimeUnixNano must be nanoseconds since 1970/],
    [JSON.stringify(documentOf(spanOf({ attributes: [] }))), /has no span of a MongoDB client among its 1 spans: such a span has the attribute db\.system/],
    [JSON.stringify(documentOf(spanOf({ status: { code: 2 } }))), /has no checkouts but 1 that failed$/],
  ])('%j', async (text, message) => {
    await expect(readText(text)).rejects.toThrow(message);
  });
});
