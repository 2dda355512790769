import { expect, test } from '@jest/globals';
import { BSON } from 'mongodb';
import { parseReadQuery, returnsCursor } from '../../src/calibrate/read-query.js';

test.each([
  ['/a={"find":"orders"}', '/a', { find: 'orders' }],
  ['GET /a?b=1={"count":"orders","query":{"_id":{"$oid":"64b7f6f0a1b2c3d4e5f60718"}}}', 'GET /a?b=1',
    { count: 'orders', query: { _id: new BSON.ObjectId('64b7f6f0a1b2c3d4e5f60718') } }],
  ['{{ url }}={"distinct":"orders","key":"a"}', '{{ url }}', { distinct: 'orders', key: 'a' }],
  ['/a={"aggregate":"orders","pipeline":[{"$match":{"a=":"={"}}]}', '/a',
    { aggregate: 'orders', pipeline: [{ $match: { 'a=': '={' } }], cursor: {} }],
  ['/a={"aggregate":"orders","pipeline":[],"cursor":{"batchSize":5}}', '/a',
    { aggregate: 'orders', pipeline: [], cursor: { batchSize: 5 } }],
])('%s', (text, route, command) => {
  expect(parseReadQuery(text)).toEqual({ route, command });
  expect(Object.keys(parseReadQuery(text).command)[0]).toBe(Object.keys(command)[0]);
});

test.each([
  ['{"find":"orders"}', /^It has no route or no command: write ROUTE=COMMAND with find, aggregate/],
  ['/a=5', /^It has no route or no command/],
  ['/a={"find":}', /^The command is not Extended JSON: /],
  ['/a={}', /^"undefined" is not allowed/],
  ['/a={"insert":"orders","documents":[{}]}', /^"insert" is not allowed: write ROUTE=COMMAND with find, aggregate/],
  ['/a={"delete":"orders","find":"orders"}', /^"delete" is not allowed/],
  ['/a={"constructor":1}', /^"constructor" is not allowed/],
  ['/a={"aggregate":"orders"}', /^The aggregate has no pipeline/],
  ['/a={"aggregate":"orders","pipeline":[{"$match":{}},{"$out":"copy"}]}', /^"\$out" writes, so it is not allowed/],
  ['/a={"aggregate":"orders","pipeline":[{"$facet":{"a":[{"$merge":"copy"}]}}]}', /^"\$merge" writes/],
  ['/a={"aggregate":"orders","pipeline":[{"$changeStream":{}}]}', /^"\$changeStream" never ends/],
  ['/a={"find":"log","tailable":true}', /^"tailable" never ends/],
])('%s is refused', (text, message) => {
  expect(() => parseReadQuery(text)).toThrow(message);
});

test('some commands answer with a cursor', () => {
  expect([{ find: 'a' }, { aggregate: 'a' }, { count: 'a' }, { distinct: 'a' }].map(returnsCursor)).toEqual([true, true, false, false]);
});
