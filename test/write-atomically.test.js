import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { writeAtomically } from '../src/write-atomically.js';
import { scratchFolder } from './support/scratch-folder.js';

test('a file is written whole, in place of an earlier one', async () => {
  const file = path.join(await scratchFolder(), 'a.html');
  await writeFile(file, 'earlier');
  await writeAtomically(file, 'later');
  expect(await readFile(file, 'utf8')).toBe('later');
  expect(await readdir(path.dirname(file))).toEqual(['a.html']);
});

test.each([['a folder is', 'taken'], ['there is no folder', path.join('nowhere', 'a.html')]])(
  'where %s, it is an error that names the file, and nothing stays', async (_, name) => {
    const folder = await scratchFolder();
    await mkdir(path.join(folder, 'taken'));
    const file = path.join(folder, name);
    await expect(writeAtomically(file, 'text')).rejects.toThrow(`${file} can't be written: E`);
    expect(await readdir(folder)).toEqual(['taken']);
  });

/** A file that takes nothing, as a full disk. */
const onLinux = process.platform === 'linux' ? test : test.skip;

onLinux('on a full disk one line says so, the earlier file is untouched and no part of the new one stays', async () => {
  const folder = await scratchFolder();
  const file = path.join(folder, 'result.json');
  await writeFile(file, 'earlier');
  await symlink('/dev/full', `${file}.${process.pid}.partial`);
  await expect(writeAtomically(file, 'later')).rejects.toThrow(`${file} can't be written: ENOSPC: no space left on device`);
  expect(await readFile(file, 'utf8')).toBe('earlier');
  expect(await readdir(folder)).toEqual(['result.json']);
});

test('where a folder can not be, one line says so', async () => {
  const file = path.join(await scratchFolder(), 'file');
  await writeFile(file, '');
  await expect(writeAtomically(path.join(file, 'report.html'), 'x')).rejects.toThrow(
    `${path.join(file, 'report.html')} can't be written: ENOTDIR`);
});
