import { readFile } from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { nameClient } from 'mongodb-pool-predictor';
import { cleanUp, scratchFolder } from 'test-support/cleanup.js';
import { sharedMongoUrl } from 'test-support/mongod.js';
import { runNode } from 'test-support/processes.js';
import { until } from 'test-support/waiting.js';
import { startWatch } from './start-watch.js';

/** @import { RecordedTrace } from 'mongodb-pool-predictor' */

/** Longer than the connections of one client last. */
const PAUSE_MS = 60;

/**
 * Callers with a kept-alive connection each, until stopped.
 * @param {string} url
 * @param {string[]} paths of each caller
 */
function call(url, paths) {
  const stop = new AbortController();
  const callers = paths.map(async (each) => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    while (!stop.signal.aborted) {
      await new Promise((resolve, reject) =>
        http.get(`${url}${each}`, { agent }, (response) => response.resume().on('end', resolve)).on('error', reject),
      );
      if (each === '/brief') await delay(PAUSE_MS);
    }
    agent.destroy();
  });
  return async () => {
    stop.abort();
    await Promise.all(callers);
  };
}

/** @param {RecordedTrace} trace @param {string} client @returns {number[]} rows of checkouts that got a connection */
export function rowsOf({ checkouts, pools }, client) {
  return [...checkouts.poolOf.keys()].filter(
    (row) => nameClient(pools[checkouts.poolOf[row]]) === client && checkouts.useMs[row] >= 0,
  );
}

/** Four of each process ask for reports. */
export const PATHS = ['/articles/7', ...Array.from({ length: 8 }, () => '/report'), '/brief'];

/**
 * Records app-to-record.js, which has two processes, while PATHS are called.
 * @param {{ seconds: number }} options of which there must be figures
 * @returns {Promise<{ code: number | null, stderr: string, file: string, one: string }>} one: of the client `reports`
 *   alone
 */
export async function recordProcesses({ seconds }) {
  const seeds = new MongoClient(sharedMongoUrl());
  await seeds.db('app_to_record').collection('articles').insertOne({ title: 'one' });
  await seeds.close();
  const {
    child,
    said,
    isReady,
    url: overview,
  } = startWatch(['--', process.execPath, 'lab/test/watch/app-to-record.js']);
  cleanUp(() => child.kill('SIGKILL'));
  await isReady();
  const port = await until('its port', () => said.stdout.match(/^\d+$/m)?.[0], 60_000);
  const haveClients = async () => {
    const { rows } = await (await fetch(`${overview()}processes`)).json();
    return rows.length === 2 && rows.every((/** @type {any} */ { about }) => about.includes('4 clients'));
  };
  await until('both have their clients', haveClients, 60_000);
  const stopCalling = call(`http://127.0.0.1:${port}`, PATHS);
  const folder = await scratchFolder();
  /** @param {string} file @param {string[]} options @param {RegExp} line @param {number} count how many it must have */
  const record = (file, options, line, count) =>
    runNode(['lab/cli.js', 'record', '--url', overview(), '--out', file, '--every', '200', ...options], {
      onStart: async (command) => {
        const countLines = async () => (await readFile(file, 'utf8').catch(() => '')).match(line)?.length ?? 0;
        await until('enough is recorded', async () => (await countLines()) >= count, 60_000);
        command.kill('SIGINT');
      },
    });
  const [file, one] = ['all.jsonl', 'one.jsonl'].map((name) => path.join(folder, name));
  const all = await record(file, [], /"event":"server"/g, seconds);
  await record(one, ['--client', 'reports'], /"useMs"/g, 10);
  await stopCalling();
  child.kill('SIGTERM');
  return { ...all, file, one };
}
