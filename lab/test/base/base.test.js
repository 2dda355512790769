import { execFileSync } from 'node:child_process';
import { chmod, lstat, mkdir, readdir, readFile, readlink, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { scratchFolder } from 'test-support/cleanup.js';
import { until } from 'test-support/waiting.js';
import { makeFolder } from '../../../src/base/files.js';
import { changeFile } from '../../base/change-file.js';
import { poll, repeatUntil } from '../../base/poll.js';
import { compareRanks } from '../../base/rank-test.js';
import { listOf, mapOf, number, orNone, shape, text } from '../../base/shape.js';
import { requireWritable, requireWritableFolder, writeAtomically } from '../../base/write-atomically.js';

describe('poll', () => {
  test('asks until there is an answer, be it false', async () => {
    const answers = [undefined, undefined, false, true];
    expect(await poll(async () => answers.shift(), { everyMs: 1 })).toBe(false);
    expect(answers).toEqual([true]);
  });

  test('has no answer once the time is up, and asks at least once', async () => {
    let asked = 0;
    const ask = () => {
      asked += 1;
      return undefined;
    };
    expect(await poll(ask, { everyMs: 5, timeoutMs: 0 })).toBeUndefined();
    expect(asked).toBeGreaterThanOrEqual(1);
  });

  test('an abort ends the asking at once, with its reason', async () => {
    const controller = new AbortController();
    const ask = () => controller.abort(new Error('enough'));
    await expect(poll(ask, { everyMs: 60_000, signal: controller.signal })).rejects.toThrow('enough');
  });

  test('what is repeated is done once more after it was stopped, also if it was stopped meanwhile', async () => {
    const stopping = new AbortController();
    let acts = 0;
    await repeatUntil(
      async () => {
        acts += 1;
        if (acts === 2) stopping.abort();
      },
      { everyMs: 1, stop: stopping.signal },
    );
    expect(acts).toBe(3);
  });
});

describe('the rank test', () => {
  const apart = { before: [1, 2, 3], after: [4, 5, 6] };

  test.each([
    // 20 orders of six values, one of them on each side.
    ['one stratum', [apart], 0.1, 0.1],
    ['two strata', [apart, apart], 2 / 400, 2 / 400],
    ['two strata that differ in opposite ways', [apart, { before: apart.after, after: apart.before }], 1, 2 / 400],
    // U is 8 of 9: 2 of the 20 orders have as many.
    ['one pair the other way', [{ before: [1, 2, 4], after: [3, 5, 6] }], 0.2, 0.1],
    ['only ties', [{ before: [1, 1], after: [1, 1] }], 1, 2 / 6],
    ['one value each', [{ before: [1], after: [2] }], 1, 1],
    [
      '21 of 25 pairs: 12 of the 252 orders have as many',
      [{ before: [1, 3, 5, 7, 9], after: [4, 8, 10, 12, 14] }],
      24 / 252,
      2 / 252,
    ],
  ])('%s', (_, strata, p, smallestP) => {
    const found = compareRanks(strata);
    expect(found.p).toBeCloseTo(p, 10);
    expect(found.smallestP).toBeCloseTo(smallestP, 10);
  });

  test('twenty repeats of many sizes are counted in a moment', () => {
    const values = Array.from({ length: 20 }, (_, index) => index);
    const stratum = { before: values, after: values.map((value) => value + 100) };
    expect(compareRanks(Array.from({ length: 10 }, () => stratum)).p).toBeLessThan(1e-50);
  });
});

describe('the shape of JSON', () => {
  const check = shape({ name: text, sizes: orNone(listOf(number)), by: orNone(mapOf(shape({ at: text }))) });

  test.each([
    [{ name: 'a' }],
    [{ name: '', sizes: [], by: {} }],
    [{ name: 'a', sizes: [1], by: { b: { at: 'c' } }, more: 5 }],
    [{ name: 'a', sizes: null }],
  ])('%j fits', (value) => {
    expect(() => check(value, 'it')).not.toThrow();
  });

  test.each([
    [null, 'it must be an object'],
    [[], 'it must be an object'],
    ['a', 'it must be an object'],
    [{}, 'name must be text'],
    [{ name: { toString: 1 } }, 'name must be text'],
    [{ name: 'a', sizes: {} }, 'sizes must be a list'],
    [{ name: 'a', sizes: [1, '2'] }, 'sizes[1] must be a number'],
    [{ name: 'a', by: [] }, 'by must be an object'],
    [{ name: 'a', by: { b: null } }, 'by.b must be an object'],
    [{ name: 'a', by: { b: { at: 5 } } }, 'by.b.at must be text'],
  ])('%j is told what is wrong', (value, message) => {
    expect(() => check(value, 'it')).toThrow(new Error(message));
  });
});

describe('a file that is written', () => {
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

  onLinux(
    'on a full disk one line says so, the earlier file is untouched and no part of the new one stays',
    async () => {
      const folder = await scratchFolder();
      const file = path.join(folder, 'result.json');
      await writeFile(file, 'earlier');
      await symlink('/dev/full', `${file}.${process.pid}.partial`);
      await expect(writeAtomically(file, 'later')).rejects.toThrow(`${file} can't be written: no space left on device`);
      expect(await readFile(file, 'utf8')).toBe('earlier');
      expect(await readdir(folder)).toEqual(['result.json']);
    },
  );

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

    test('many at once, in a folder that none of them has made, do not disturb each other', async () => {
      const folder = path.join(await scratchFolder(), 'new', 'folder');
      const write = async (/** @type {unknown} */ _, /** @type {number} */ index) => {
        await requireWritableFolder(folder, '--out');
        await makeFolder(folder);
        await writeAtomically(path.join(folder, `${index}.json`), 'text');
      };
      await Promise.all(Array.from({ length: 20 }, write));
      expect(await readdir(folder)).toHaveLength(20);
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
});

describe('a file that several processes change', () => {
  async function openList() {
    const file = path.join(await scratchFolder(), 'list.json');
    /** @returns {Promise<string[]>} */
    const names = async () => JSON.parse(await readFile(file, 'utf8').catch(() => '[]'));
    const add = (/** @type {string} */ name, patienceMs = 3000) =>
      changeFile(file, async () => JSON.stringify([...(await names()), name]), { patienceMs });
    return { file, add, names };
  }

  test('has all their changes, and nothing else stays', async () => {
    const { file, add, names } = await openList();
    const all = Array.from({ length: 20 }, (_, index) => `change ${index}`);
    await Promise.all(all.map((name) => add(name)));
    expect((await names()).toSorted()).toEqual(all.toSorted());
    expect(await readdir(path.dirname(file))).toEqual(['list.json']);
  });

  test('a change waits for the one before it, and sees it', async () => {
    const { file, add, names } = await openList();
    /** @type {Promise<void> | undefined} */
    let second;
    await changeFile(file, async () => {
      second = add('second');
      await until('the second waits', async () => (await readdir(path.dirname(file))).length > 1 || undefined);
      return '["first"]';
    });
    await second;
    expect(await names()).toEqual(['first', 'second']);
  });

  test('a dead process keeps nobody waiting for long', async () => {
    const { file, add, names } = await openList();
    await mkdir(`${file}.lock`);
    await writeFile(path.join(`${file}.lock`, 'a-dead-one'), 'half a te');
    await add('next', 0);
    expect(await names()).toEqual(['next']);
    expect(await readdir(path.dirname(file))).toEqual(['list.json']);
  });

  test('a process that only seemed dead starts again, and loses no change of another', async () => {
    const { file, add, names } = await openList();
    let tries = 0;
    await changeFile(file, async () => {
      const before = await names();
      if (tries++ === 0) await add('the other', 0);
      return JSON.stringify([...before, 'the slow one']);
    });
    expect([tries, await names()]).toEqual([2, ['the other', 'the slow one']]);
  });

  test('an error of a change leaves the file as it was, and free for the next', async () => {
    const { file, add, names } = await openList();
    await expect(changeFile(file, () => Promise.reject(new Error('enough')))).rejects.toThrow(/^enough$/);
    await expect(changeFile(path.join(file, 'a'), async () => '')).rejects.toThrow(/a can't be written: no/);
    await add('next', 0);
    expect(await names()).toEqual(['next']);
  });
});
