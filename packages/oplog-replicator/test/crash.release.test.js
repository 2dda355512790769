import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text as collectText } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { openTcpProxy } from 'test-support/network.js';
import { createRandom } from 'test-support/random.js';
import { until } from 'test-support/waiting.js';
import { LeaseError } from '../src/base/errors.js';
import { CHECKPOINT_DATABASE } from '../src/base/namespaces.js';
import { replicate } from '../src/replication/replicate.js';
import { openClient, startTwoSets, describeData } from './connections.js';
import { EXCLUDED, writeAnything } from './write-anything.js';

/** @import { MongoClient } from 'mongodb' */
/** @import { ReplicateOptions } from '../src/replication/replicate.js' */

describe('crashes', () => {
  const REPLICATOR = fileURLToPath(new URL('replicator-process.js', import.meta.url));
  const KILLS = 7;
  /** How many of them may come before the copy is complete. */
  const EARLY_KILLS = 3;
  /** A write to a server that is down ends this soon. */
  const QUICK_TO_FAIL = 'serverSelectionTimeoutMS=1000';

  /** @typedef {Awaited<ReturnType<typeof startTwoSets>>['sets'][0]} ReplicaSet */

  /** @type {ReplicaSet} */
  let source;
  /** @type {ReplicaSet} */
  let target;
  /** @type {MongoClient} */
  let sourceClient;
  /** @type {MongoClient} */
  let writingClient;
  /** @type {MongoClient} */
  let targetClient;
  /** To the source. @type {import('test-support/network.js').TcpProxy} */
  let proxy;
  /** @type {ReplicateOptions} */
  let options;
  /** @type {ReplicateOptions} the same, with the source behind the proxy */
  let proxyOptions;
  beforeAll(async () => {
    const { sets, clients } = await startTwoSets(['--setParameter', 'ttlMonitorSleepSecs=1']);
    [source, target] = sets;
    [sourceClient, targetClient] = clients;
    writingClient = openClient(`${source.url}&${QUICK_TO_FAIL}`);
    proxy = await openTcpProxy(source.port);
    options = {
      sources: [source.url],
      target: target.url,
      workers: 3,
      hash: 'id',
      from: 'snapshot',
      checkpointEveryMs: 50,
      namespaces: { exclude: [`shop.${EXCLUDED}`] },
    };
    proxyOptions = { ...options, sources: [`mongodb://127.0.0.1:${proxy.port}/?directConnection=true`] };
  });

  /** Stops what the test has started. @type {(() => Promise<unknown>)[]} */
  const stops = [];
  // A test that failed would leave it to the later ones.
  afterEach(async () => {
    target.goOn();
    await Promise.all(stops.splice(0).map((stop) => stop()));
  });

  /** @param {number} seed @returns {() => Promise<unknown>} stops it */
  function keepWriting(seed) {
    const random = createRandom(seed);
    let isWriting = true;
    const write = async () => {
      while (isWriting) await writeAnything(writingClient, writingClient.db('shop'), random);
    };
    const writing = Promise.all([write(), write()]);
    const stop = () => {
      isWriting = false;
      return writing;
    };
    stops.push(stop);
    return stop;
  }

  async function expectIdentical() {
    // It would go on deleting while the data is compared.
    await sourceClient.db('admin').command({ setParameter: 1, ttlMonitorEnabled: false });
    const { operationTime } = await sourceClient.db('admin').command({ ping: 1 });
    const { done } = await replicate({ ...options, until: operationTime });
    await done;
    const [expected, found] = await Promise.all([sourceClient, targetClient].map(describeData));
    delete expected[`shop.${EXCLUDED}`];
    expect(expected).not.toEqual({});
    expect(found).toEqual(expected);
    await sourceClient.db('admin').command({ setParameter: 1, ttlMonitorEnabled: true });
  }

  test('killed at random moments, while it copies and later, it loses nothing and applies nothing twice', async () => {
    const stopWriting = keepWriting(1);
    const { uniform } = createRandom(2);
    const copies = targetClient.db(CHECKPOINT_DATABASE).collection('copies');
    for (let kills = 0; kills < KILLS; kills++) {
      const child = spawn(process.execPath, [REPLICATOR, JSON.stringify(options)], {
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      });
      stops.push(async () => child.kill('SIGKILL'));
      const exit = once(child, 'exit');
      await Promise.race([once(child, 'message'), exit]); // The replication has begun.
      const hasCopied = async () => child.exitCode !== null || (await copies.findOne({ phase: 'done' }));
      if (kills >= EARLY_KILLS) await until('the copy', hasCopied, 60_000);
      await sleep(uniform() * 400);
      expect(child.exitCode).toBe(null);
      child.kill('SIGKILL');
      await exit;
    }
    await stopWriting();
    await expectIdentical();
  });

  test('frozen until another one takes over, it ends and changes nothing any more', async () => {
    const stopWriting = keepWriting(4);
    const child = spawn(process.execPath, [REPLICATOR, JSON.stringify(options)], {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    stops.push(async () => child.kill('SIGKILL'));
    const said = collectText(/** @type {import('node:stream').Readable} */ (child.stderr));
    await once(child, 'message');
    const exit = once(child, 'exit');
    child.kill('SIGSTOP');
    const { stop, done } = await until('it can be replaced', () =>
      replicate(options).catch((error) => {
        if (error instanceof LeaseError) return null;
        throw error;
      }),
    );
    stops.push(stop);
    child.kill('SIGCONT');
    expect(await exit).toEqual([1, null]);
    expect(await said).toContain('LeaseError: another replicator has taken over');
    await stopWriting();
    await stop();
    await done;
    await expectIdentical();
  });

  /** @param {ReplicaSet} set @param {NodeJS.Signals} signal */
  async function restart(set, signal) {
    await set.kill(signal);
    await set.start();
  }

  test.each([
    ['the source is killed', () => restart(source, 'SIGKILL')],
    ['the target is killed', () => restart(target, 'SIGKILL')],
    ['the target shuts down cleanly', () => restart(target, 'SIGTERM')],
    [
      'the target elects its primary again',
      () => targetClient.db('admin').command({ replSetStepDown: 1, force: true }),
    ],
    [
      'the target hangs',
      async (/** @type {() => number} */ readLag) => {
        target.pause();
        await until('lag', () => readLag() > 300);
        target.goOn();
      },
    ],
    [
      'the connection to the source is cut',
      async () => {
        proxy.cut();
        await proxy.restore();
      },
    ],
  ])('it continues by itself when %s', async (_, disturb) => {
    const stopWriting = keepWriting(3);
    const { figures, stop, done } = await replicate(proxyOptions);
    stops.push(stop);
    const waitForMore = async () => {
      const before = figures().ops;
      await Promise.race([until('more operations', () => figures().ops > before + 100, 60_000), done]);
    };
    await waitForMore();
    await disturb(() => figures().lagMs);
    await waitForMore();
    await stopWriting();
    await stop();
    await done;
    await expectIdentical();
  });

  test('a stop just after the connection was cut ends it cleanly', async () => {
    const { figures, stop, done } = await replicate(proxyOptions);
    stops.push(stop);
    const collection = sourceClient.db('shop').collection('a');
    await collection.insertOne({});
    await Promise.race([until('it follows', () => figures().inserts > 0), done]);
    target.pause();
    // On a busy machine its threads stop up to 0.1 s later, and may still answer.
    await until('a write is under way', async () => {
      await collection.insertOne({});
      return figures().backlog > 0;
    });
    proxy.cut();
    // It notices the cut and waits for the write.
    await until('lag', () => figures().lagMs > 300);
    const stopped = stop();
    target.goOn();
    await proxy.restore();
    await stopped;
    await done;
    await expectIdentical();
  });

  test('it fails when a server remains down, and can be restarted', async () => {
    const { done } = await replicate({ ...options, target: `${target.url}&serverSelectionTimeoutMS=300` });
    await target.kill('SIGKILL');
    await sourceClient.db('shop').collection('a').insertOne({ late: true });
    await expect(done).rejects.toThrow(/^the target 127\.0\.0\.1:\d+: no MongoDB was found within 300 ms: /);
    await target.start();
    await expectIdentical();
  });
});
