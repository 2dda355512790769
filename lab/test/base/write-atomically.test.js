import { execFileSync } from 'node:child_process';
import { chmod, lstat, mkdir, readdir, readFile, readlink, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { requireWritable, requireWritableFolder, writeAtomically } from '../../base/write-atomically.js';
import { scratchFolder } from 'test-support/cleanup.js';

test('a file is written whole, in place of an earlier one', async () => {
  const file = path.join(await scratchFolder(), 'a.html');
  await writeFile(file, 'earlier');
  await writeAtomically(file, 'later');
  expect(await readFile(file, 'utf8')).toBe('later');
  expect(await readdir(path.dirname(file))).toEqual(['a.html']);
});

test.each([
  ['a folder is', 'taken'],
  ['there is no folder', path.join('nowhere', 'a.html')],
])('where %s, it is an error that names the file, and nothing stays', async (_, name) => {
  const folder = await scratchFolder();
  await mkdir(path.join(folder, 'taken'));
  const file = path.join(folder, name);
  await expect(writeAtomically(file, 'text')).rejects.toThrow(`${file} can't be written: `);
  expect(await readdir(folder)).toEqual(['taken']);
});

/** A file that takes nothing, as a full disk. */
const onLinux = process.platform === 'linux' ? test : test.skip;

onLinux('on a full disk one line says so, the earlier file is untouched and no part of the new one stays', async () => {
  const folder = await scratchFolder();
  const file = path.join(folder, 'result.json');
  await writeFile(file, 'earlier');
  await symlink('/dev/full', `${file}.${process.pid}.partial`);
  await expect(writeAtomically(file, 'later')).rejects.toThrow(`${file} can't be written: no space left on device`);
  expect(await readFile(file, 'utf8')).toBe('earlier');
  expect(await readdir(folder)).toEqual(['result.json']);
});

test('where a folder can not be, one line says so', async () => {
  const file = path.join(await scratchFolder(), 'file');
  await writeFile(file, '');
  await expect(writeAtomically(path.join(file, 'report.html'), 'x')).rejects.toThrow(
    `${path.join(file, 'report.html')} can't be written: not a directory`,
  );
});

/** Windows has neither modes nor fifos, and links only for administrators. */
const onPosix = process.platform === 'win32' ? describe.skip : describe;

onPosix('what is there already', () => {
  test.each([
    ['keeps its mode', {}, 0o660],
    ['gets the mode that is asked for', { mode: 0o600 }, 0o600],
  ])('%s', async (_, options, mode) => {
    const file = path.join(await scratchFolder(), 'a.json');
    await writeFile(file, 'earlier');
    await chmod(file, 0o660);
    await writeAtomically(file, 'later', options);
    expect((await stat(file)).mode & 0o777).toBe(mode);
  });

  test.each([
    ['a file', true],
    ['nothing yet', false],
  ])('stays a link, to %s', async (_, isThere) => {
    const folder = await scratchFolder();
    await mkdir(path.join(folder, 'far'));
    const [target, link, second] = ['far/target', 'far/link', 'second'].map((name) => path.join(folder, name));
    if (isThere) await writeFile(target, 'earlier');
    await symlink('target', link);
    await symlink(path.join('far', 'link'), second);
    await requireWritable(second, '--out');
    await writeAtomically(second, 'later');
    expect(await readFile(target, 'utf8')).toBe('later');
    expect(await Promise.all([link, second].map((one) => readlink(one)))).toEqual(['target', 'far/link']);
    expect(await readdir(path.dirname(target))).toEqual(['link', 'target']);
  });

  test('stays a fifo, whose reader gets the text', async () => {
    const folder = await scratchFolder();
    const fifo = path.join(folder, 'fifo');
    execFileSync('mkfifo', [fifo]);
    await requireWritable(fifo, '--out');
    const [text] = await Promise.all([readFile(fifo, 'utf8'), writeAtomically(fifo, 'later')]);
    expect(text).toBe('later');
    expect((await lstat(fifo)).isFIFO()).toBe(true);
    expect(await readdir(folder)).toEqual(['fifo']);
  });
});

describe('before the work', () => {
  test('what can be written is left as it was', async () => {
    const folder = await scratchFolder();
    const file = path.join(folder, 'a.json');
    await writeFile(file, 'earlier');
    await requireWritable(file, '--out');
    await requireWritable(path.join(folder, 'new.json'), '--out');
    await requireWritableFolder(folder, '--out');
    await requireWritableFolder(path.join(folder, 'new', 'folder'), '--out');
    expect(await readdir(folder)).toEqual(['a.json']);
    expect(await readFile(file, 'utf8')).toBe('earlier');
  });

  test('what can not is an error that names the place and the option', async () => {
    const file = path.join(await scratchFolder(), 'file');
    await writeFile(file, '');
    const inFile = path.join(file, 'a');
    await expect(requireWritable(inFile, '--html')).rejects.toThrow(
      new RegExp(`^${inFile} can't be written: not a directory\\. Choose another place with --html$`),
    );
    for (const folder of [file, inFile]) {
      await expect(requireWritableFolder(folder, '--out')).rejects.toThrow(
        new RegExp(
          `^${folder} can't be written: (file already exists|not a directory)\\. Choose another place with --out$`,
        ),
      );
    }
  });

  onLinux('it does not search /proc for ever', async () => {
    await expect(requireWritableFolder('/proc/no/such', '--out')).rejects.toThrow(
      "/proc/no/such can't be written: no such file or directory",
    );
  });
});
