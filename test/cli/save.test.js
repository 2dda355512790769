import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { saveResult } from '../../src/cli/save.js';
import { mixed } from '../../src/labs/mixed/mixed-lab.js';
import { scratchFolder } from '../support/scratch-folder.js';

test('where a folder can not be, one line says so', async () => {
  const file = path.join(await scratchFolder(), 'file');
  await writeFile(file, '');
  const folder = path.join(file, 'results');
  await expect(saveResult(mixed, /** @type {any} */ ({}), folder)).rejects.toThrow(`the folder ${folder} can't be made: ENOTDIR`);
});
