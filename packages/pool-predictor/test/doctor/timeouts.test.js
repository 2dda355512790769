import { expect, test } from '@jest/globals';
import { findTimeouts } from '../../src/index.js';

const inCode = /** @type {const} */ ({ value: 500, from: 'code' });
const inUri = /** @type {const} */ ({ value: 500, from: 'uri' });
// What is left of them where the driver ignores the option.
const leftInUri = /** @type {const} */ ({ value: 0, from: 'default', uri: 500 });
const leftInCode = /** @type {const} */ ({ value: 0, from: 'default', ignored: true });

test.each(
  /** @type {const} */ ([
    ['6.10.0', inCode, 'ignoredTimeout'],
    ['6.11.0', inCode, 'unsafeTimeout'],
    ['6.21.0', inUri, 'unsafeTimeout'],
    ['6.22.0', leftInUri, 'ignoredTimeout'],
    ['7.0.0', inUri, 'unsafeTimeout'],
    ['7.7.0', inCode, 'unsafeTimeout'],
    ['7.8.0', leftInUri, 'ignoredTimeout'],
    ['7.9.0', leftInCode, 'ignoredTimeout'],
    // A zero in the code wins, and is no time limit.
    ['7.7.0', { value: 0, from: 'default', uri: 500 }, undefined],
    ['7.7.0', { value: 0, from: 'default' }, undefined],
    ['7.9.0', { value: 0, from: 'default' }, undefined],
    ['7.7.0', undefined, undefined],
    // Drivers before refuse the option, and nobody knows those to come.
    ['5.9.2', inCode, undefined],
    ['8.0.0', inCode, undefined],
    [undefined, inCode, undefined],
  ]),
)('driver %s with %j: %s', (driver, timeoutMS, kind) => {
  const options = timeoutMS && { timeoutMS };
  expect(findTimeouts([{ name: 'shop', driver, options }]).map((finding) => finding.kind)).toEqual(kind ? [kind] : []);
});

test('a client with a pool for each server is named once, with the version of the driver alone', () => {
  const shop = { name: 'shop', driver: '7.7.0|9.12.1', options: { timeoutMS: inCode } };
  expect(findTimeouts([shop, { name: null }, shop, { ...shop, name: 'jobs' }])).toEqual([
    { kind: 'unsafeTimeout', client: 'shop', option: 'timeoutMS', driver: '7.7.0', value: 500 },
    { kind: 'unsafeTimeout', client: 'jobs', option: 'timeoutMS', driver: '7.7.0', value: 500 },
  ]);
});
