import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { MongoClient } from 'mongodb';
import { collectText } from '../../src/harness/child-process.js';
import { runHttpLoad } from '../../src/harness/http-load.js';
import { documentsOf, seedDocuments } from '../../src/labs/handles/documents.js';
import { besides, startContender } from './contender.js';
import { median, medianRatio, takeTurns } from './take-turns.js';
import { withMongo } from './with-mongo.js';

/** @import { Part, PartContext } from '../parts/run-parts.js' */

const TURN_MS = 1500;
const POOL_SIZE = '20';
/** How many times the requests of Go, by connections of the load. @type {Record<number, number>} */
const WANTED = { 128: 1.5, 256: 1.2 };
const GO_SOURCE = fileURLToPath(new URL('./go', import.meta.url));
const NAMES = ['gathered', 'gathered, no Express', 'Go'];

/** @type {Part} */
export const PART = { name: 'db', about: '/db of the lab handles with gathered lookups, beside Go with its official driver', run };

/** @param {PartContext} context */
function run(context) {
  const { signal, say, runs } = context;
  return withMongo(context, async (mongoUrl, keep) => {
    const documents = await seed(mongoUrl);
    const server = besides('../../src/labs/handles/handles-server.js');
    const options = { env: { MONGO_URL: mongoUrl, MONGO_POOLSIZE: POOL_SIZE }, signal };
    const apps = [
      await keep(startContender(server, { ...options, args: ['--gather'] })),
      await keep(startContender(server, { ...options, args: ['--gather', '--bare'] })),
    ];
    const peer = await startGo([mongoUrl, POOL_SIZE, ...documents], context);
    const urls = [...apps, ...peer ? [await keep(Promise.resolve(peer))] : []].map(({ url }) => `${url}/db`);
    const rows = [];
    for (const connections of [128, 256]) {
      const turns = await takeTurns(urls.length, runs, async (index) => {
        say(`db: ${NAMES[index]}, ${connections} connections`);
        const { measured, failed } = await runHttpLoad({ url: urls[index], connections, warmUpMs: 300, durationMs: TURN_MS }, { signal });
        if (failed || !measured?.ratePerSec) throw new Error(`${NAMES[index]}: ${failed ?? 'no answer'}`);
        return measured.ratePerSec;
      });
      const toGo = (/** @type {number} */ index) => (peer ? medianRatio(turns[index], turns[2], Number).toFixed(2) : 'Go was skipped');
      rows.push(...urls.map((_, index) => ({
        connections, app: NAMES[index], 'requests/s': Math.round(median(turns[index])), 'to Go': toGo(index),
        wanted: index === 2 ? '' : WANTED[connections],
      })));
    }
    return [{ title: `GET /db, a document by its _id, pool ${POOL_SIZE}, Node ${process.versions.node}`, rows }];
  });
}

/** @param {string} mongoUrl @returns {Promise<string[]>} how many, and in which database and collection */
async function seed(mongoUrl) {
  const client = await MongoClient.connect(mongoUrl);
  try {
    const documents = documentsOf(client);
    await seedDocuments(documents);
    return [String(await documents.countDocuments()), documents.dbName, documents.collectionName];
  } finally {
    await client.close();
  }
}

/**
 * @param {string[]} args of the program
 * @param {PartContext} context
 * @returns {Promise<{ url: string, stop: () => Promise<unknown> } | null>} null, and says why, where Go can't build it
 */
async function startGo(args, { say, signal }) {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'bench-go-'));
  const program = path.join(folder, 'peer');
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    await runTo('exit', spawn('go', ['build', '-o', program, '.'], { cwd: GO_SOURCE, signal }));
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    const port = await runTo('data', child);
    const ended = once(child, 'exit');
    return {
      url: `http://127.0.0.1:${port}`,
      stop: async () => {
        child.kill();
        await ended;
        await remove();
      },
    };
  } catch (error) {
    await remove();
    signal.throwIfAborted();
    say(`db: Go is SKIPPED: ${/** @type {Error} */ (error).message}`);
    return null;
  }
}

/**
 * @param {'exit' | 'data'} event what to wait for: the end, or the first output
 * @param {import('node:child_process').ChildProcess} child
 * @returns {Promise<string>} that output
 * @throws {Error} with stderr, if it failed
 */
async function runTo(event, child) {
  const readStderr = collectText(child.stderr);
  const exited = once(child, 'exit').then(([code]) => {
    if (code !== 0) throw new Error(readStderr() || `exit code ${code}`);
    return [''];
  });
  const [output] = await (event === 'exit' ? exited : Promise.race([once(/** @type {any} */ (child.stdout), 'data'), exited]));
  return String(output).trim();
}
