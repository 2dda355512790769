import path from 'node:path';
import { scratchFolder } from 'test-support/cleanup.js';
import { sharedMongoUrl } from 'test-support/mongod.js';
import { runNode } from 'test-support/processes.js';
import { startApp } from '../../harness/app-process.js';

/**
 * Records the lab's app with two connections under load. Most of its requests wait.
 * @param {{ slowMs: number, rounds: number }} load each round has 20 requests at once, five of them to /slow
 */
export async function recordRealApp({ slowMs, rounds }) {
  const app = await startApp({
    MONGO_URL: sharedMongoUrl(),
    MONGO_POOLSIZE: '2',
    MONGO_MIN_POOLSIZE: '2',
    SLOW_MS: String(slowMs),
  });
  const file = path.join(await scratchFolder(), 'app.jsonl');
  const get = async (/** @type {string} */ route) => (await fetch(`${app.url}${route}`)).arrayBuffer();
  const load = async () => {
    for (let round = 0; round < rounds; round++)
      await Promise.all([...Array(5).fill('/slow'), ...Array(15).fill('/fast')].map(get));
  };
  try {
    const ran = await runNode(['lab/cli.js', 'record', '--url', app.url, '--out', file, '--every', '100'], {
      onStart: (child) =>
        child.stderr?.on('data', async (said) => {
          if (!String(said).includes('Ctrl-C')) return;
          await load();
          child.kill('SIGINT');
        }),
    });
    return { ...ran, file };
  } finally {
    await app.stop();
  }
}
