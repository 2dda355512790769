import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { readScenario } from '../../src/node/input-files.js';
import { readWorkload } from '../../src/scenario/workload.js';
import { scratchFolder } from 'test-support/cleanup.js';

const TEXT = 'scenarios: [ { flow: [ { get: { url: /é } } ] } ]\n';
const file = path.join(await scratchFolder(), 'odd.yaml');

test('UTF-16, as some editors save it, is refused with a clear error', async () => {
  await writeFile(file, `\ufeff${TEXT}`, 'utf16le');
  await expect(readScenario(file)).rejects.toThrow(`${file} is not UTF-8 text: save it as UTF-8`);
});

test('UTF-8 with a byte order mark is read', async () => {
  await writeFile(file, `\ufeff${TEXT}`);
  expect(await readScenario(file)).toEqual(readWorkload(TEXT, { file }));
});
