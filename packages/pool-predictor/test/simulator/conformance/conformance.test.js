import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { scratchFolder } from 'test-support/cleanup.js';
import { runNode } from 'test-support/processes.js';
import { TESTS_FOLDER, readCmapTests } from './read-cmap-tests.js';

const COMMAND = fileURLToPath(new URL('conformance.js', import.meta.url));

/** Writes a clone of the specifications with other tests. @param {Record<string, object | string>} tests by name */
async function writeClone(tests) {
  const clone = await scratchFolder();
  await mkdir(path.join(clone, TESTS_FOLDER), { recursive: true });
  for (const [name, content] of Object.entries(tests)) {
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    await writeFile(path.join(clone, TESTS_FOLDER, `${name}.json`), text);
  }
  return clone;
}

/** Two callers and one connection, which takes 30 ms to open and has been checked in when the pool is cleared. */
const SHARED = {
  poolOptions: { maxPoolSize: 1, maxIdleTimeMS: 20, backgroundThreadIntervalMS: 7 },
  failPoint: { mode: { times: 1 }, data: { failCommands: ['hello'], blockConnection: true, blockTimeMS: 29 } },
  operations: [
    { name: 'ready' },
    { name: 'checkOut', label: 'first' },
    { name: 'start', target: 'other' },
    { name: 'checkOut', thread: 'other', label: 'second' },
    { name: 'wait', ms: 5 },
    { name: 'checkIn', connection: 'first' },
    { name: 'waitForThread', target: 'other' },
    { name: 'checkIn', connection: 'second' },
    { name: 'waitForEvent', event: 'ConnectionClosed', count: 1, timeout: 40 },
    { name: 'clear' },
  ],
  ignore: ['ConnectionPoolCreated', 'ConnectionCheckedIn', 'ConnectionCheckOutStarted'],
  events: [
    { type: 'ConnectionPoolReady' },
    { type: 'ConnectionCreated', connectionId: 42, address: '42' },
    { type: 'ConnectionReady', duration: 30 },
    { type: 'ConnectionCheckedOut', connectionId: 1, duration: 30 },
    { type: 'ConnectionCheckedOut', connectionId: 1, duration: 5 },
    { type: 'ConnectionClosed', connectionId: 1, reason: 'idle' },
    { type: 'ConnectionPoolCleared', interruptInUseConnections: false },
  ],
};

test('the command runs tests on the driver and on the simulator, and shows what differs', async () => {
  const late = { name: 'waitForEvent', event: 'ConnectionCreated', count: 2, timeout: 10 };
  const closed = { operations: [{ name: 'close' }, { name: 'checkOut' }], error: { type: 'PoolClosedError' } };
  const clone = await writeClone({
    shared: SHARED,
    event: { ...SHARED, events: SHARED.events.toSpliced(4, 1) },
    field: { ...SHARED, events: SHARED.events.with(2, { type: 'ConnectionReady', duration: 1 }) },
    late: { ...SHARED, operations: [...SHARED.operations, late] },
    refused: closed,
    surprised: { operations: closed.operations },
    timely: { ...closed, error: { type: 'WaitQueueTimeoutError' } },
    'opening-fails': {
      failPoint: { mode: 'alwaysOn', data: { failCommands: ['isMaster'], errorCode: 91 } },
      operations: [
        { name: 'ready' },
        { name: 'start', target: 't' },
        { name: 'checkOut', thread: 't' },
        { name: 'wait', ms: 2 },
      ],
      ignore: ['ConnectionPoolCreated', 'ConnectionPoolReady', 'ConnectionCheckOutStarted', 'ConnectionCreated'],
      events: [
        { type: 'ConnectionPoolCleared' },
        { type: 'ConnectionClosed', reason: 'error' },
        { type: 'ConnectionCheckOutFailed', reason: 'connectionError' },
      ],
    },
  });
  const { code, stdout, stderr } = await runNode([COMMAND, '--spec', clone]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const rows = stdout.split('\n').slice(4, -1);
  expect(rows.map((row) => row.split(/ {2,}/))).toEqual([
    ['event', 'fails', 'fails', 'event 5 is ConnectionCheckedOut, not ConnectionClosed'],
    ['field', 'fails', 'fails', 'event 3, ConnectionReady: duration 30, not 1'],
    ['late', 'fails', 'fails', '1 of 2 ConnectionCreated within 10 ms'],
    ['opening-fails', 'passes', 'passes'],
    ['refused', 'passes', 'passes'],
    ['shared', 'passes', 'passes'],
    ['surprised', 'fails', 'fails', 'the error PoolClosedError'],
    ['timely', 'fails', 'fails', 'error: type "PoolClosedError", not "WaitQueueTimeoutError"'],
  ]);
  expect(stdout).toMatch(/passes 3 of 8 tests, the simulator 3\.\n.* in all of them/);
});

test('without the tests, the command says where to get them', async () => {
  const folder = await scratchFolder();
  expect(await readCmapTests(folder)).toEqual([]);
  const { code, stdout, stderr } = await runNode([COMMAND, '--spec', folder]);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain(`${folder} has no tests in ${TESTS_FOLDER}`);
  expect(stderr).toContain('git clone --depth 1 https://github.com/mongodb/specifications ../specifications\n');
});

test.each([
  ['broken', '{', 'broken.json is no JSON'],
  ['empty', {}, 'empty.json has no list of operations'],
  ['unknown', { operations: [{ name: 'sleep' }] }, 'unknown.json: the operation "sleep" is unknown; known are start,'],
  ['partial', { operations: [{ name: 'wait' }] }, 'partial.json: an operation wait has no ms'],
])('a test that can not be run is an error: %s', async (name, content, message) => {
  await expect(readCmapTests(await writeClone({ [name]: content }))).rejects.toThrow(message);
});
