import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { writeWhole } from '../../src/cli/save.js';
import { scratchFolder } from '../support/scratch-folder.js';

test('a file is written whole, in place of an earlier one', async () => {
  const file = path.join(await scratchFolder(), 'a.html');
  await writeFile(file, 'earlier');
  await writeWhole(file, 'later');
  expect(await readFile(file, 'utf8')).toBe('later');
  expect(await readdir(path.dirname(file))).toEqual(['a.html']);
});

test.each([['a folder is', 'taken'], ['there is no folder', path.join('nowhere', 'a.html')]])(
  'where %s, it is an error that names the file, and nothing stays', async (_, name) => {
    const folder = await scratchFolder();
    await mkdir(path.join(folder, 'taken'));
    const file = path.join(folder, name);
    await expect(writeWhole(file, 'text')).rejects.toThrow(`${file} can't be written: E`);
    expect(await readdir(folder)).toEqual(['taken']);
  });
