import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { scratchFolder } from '../../../../test/support/scratch-folder.js';
import { readTrace } from '../../src/node/read-trace.js';

const folder = await scratchFolder();

/** @param {string[]} lines */
async function readLines(...lines) {
  const file = path.join(folder, 'queries.csv');
  await writeFile(file, lines.join('\n'));
  return readTrace(file);
}

/** @param {Awaited<ReturnType<typeof readTrace>>} trace */
const rowsOf = ({ routes, routeOf, checkOutStartedMs, waitMs, useMs }) => Array.from(routeOf, (route, index) => (
  [checkOutStartedMs[index], waitMs[index], useMs[index], routes[route]]));

test('times, quotes, units and an unknown column', async () => {
  const trace = await readLines(
    '\uFEFFroute, Start ,duration_s,user', '"a ""b"", c",2026-01-01T00:00:01.000250+01:00,0.25,x', '', '/b,2026-01-01 00:00:00Z,1,',
    '"two', 'lines",2026-01-01T00:00:02,0,y\r', '');
  expect(rowsOf(trace)).toEqual([
    [0, 0, 250, 'a "b", c'], [3598999.75, 0, 1000, '/b'], [3600999.75, 0, 0, 'two\nlines'],
  ].map((row) => [expect.closeTo(Number(row[0]), 2), ...row.slice(1)]));
  expect(trace).toMatchObject({ lacksWaits: true, header: { format: 'CSV' } });
  expect(trace.warnings).toEqual([
    expect.stringMatching(/these columns are not used: user$/), expect.stringMatching(/does not say how long a request waited/),
  ]);
});

test('waits, requests and failures, where it has them', async () => {
  const trace = await readLines('startMs,waitMs,durationMs,route,request,failed', '1e3,2,3,/a,r1,', '1001,0,1,/a,,false',
    '1002,0,1,/b,r1,0', '1003,0,9,/b,r2,TRUE');
  expect(rowsOf(trace)).toEqual([[0, 2, 3, '/a'], [1, 0, 1, '/a'], [2, 0, 1, '/b']]);
  expect(Array.from(trace.requestOf ?? [])).toEqual([0, -1, 0]);
  expect(trace.lacksWaits).toBeUndefined();
  expect(trace.warnings).toEqual([expect.stringMatching(/^1 checkout had a failed operation/)]);
});

test('without routes all is one route, and that is said', async () => {
  const { routes, warnings } = await readLines('startS,durationMs', '0,1', '0.5,2');
  expect(routes).toEqual(['checkout']);
  expect(warnings).toContainEqual(expect.stringMatching(/no column "route"/));
});

describe('what is wrong is named', () => {
  test.each([
    [['start,duration,route', ''], /queries\.csv, line 1: no column says the duration, or it has no unit\. The columns can be start/],
    [['start;durationMs;route', ''], /line 1: no column says the start, .* separated by commas$/],
    [['startMs,startS,durationMs'], /line 1: "startMs" comes twice, perhaps with two units: keep one$/],
    [['startMs,durationMs', '1,2,3'], /line 2: it has 3 fields, but the header has 2$/],
    [['startMs,durationMs', '1,2', '1,fast'], /line 3: durationMs is "fast": it must be a number of ms, up to 365 days$/],
    [['startMs,durationMs', '1,-2'], /durationMs is "-2"/],
    [['startMs,durationMs', '1,'], /durationMs is ""/],
    [['startMs,durationMs', '1e300,1'], /startMs is "1e300": it must be a number of ms$/],
    [['start,durationMs', '1767225600000,1'], /start is "1767225600000": it must be a time such as 2026-01-01T00:00:00\.123Z; if it is a number, name/],
    [['start,durationMs', '2026-13-01T00:00:00Z,1'], /line 2: start is/],
    [['startMs,durationMs,failed', '1,1,constructor'], /failed is "constructor": it must be true or false$/],
    [['startMs,durationMs', '1,"2', '3,4'], /line 2: a quote is not closed$/],
    [['startMs,durationMs', '1,2"3"'], /line 2: a quote in the middle of a field/],
    [['startMs,durationMs'], /queries\.csv has no checkouts$/],
    [['a,b', '1,2'], /queries\.csv is not a trace: .* or a CSV file with columns such as start, durationMs and route$/],
    [['start\0,durationMs'], /queries\.csv is not UTF-8 text: unpack it, or save it as UTF-8$/],
  ])('%j', async (lines, message) => {
    await expect(readLines(...lines)).rejects.toThrow(message);
  });
});
