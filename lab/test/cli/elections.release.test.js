import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { cleanUp, startReplicaSet } from 'test-support/cleanup.js';
import { until } from 'test-support/waiting.js';
import { cleanEnvironment } from '../../../test/support/start-app.js';
import { runCli } from '../support/run-cli.js';

/** @import { Collection, Document } from 'mongodb' */

const MONGOD = ['--wiredTigerCacheSizeGB', '1'];
const LARGE = 'x'.repeat(15e6);
const WAIT_MS = 60_000;

/** Writes until it is told to stop. @param {Collection<Document>} collection */
function keepWriting(collection) {
  let isOver = false;
  const writing = (async () => {
    for (let n = 0; !isOver; n++) {
      await collection.insertMany([{ n }, { n }, { n }]);
      await collection.updateOne({ n }, { $set: { changed: true }, $push: /** @type {Document} */ ({ list: n }) });
      await collection.deleteOne({ n });
      if (n % 20 === 0) await collection.updateOne({ large: (n / 20) % 4 }, { $set: { n } });
    }
  })();
  return async () => {
    isOver = true;
    await writing;
  };
}

// /proc tells how much memory it took.
(process.platform === 'linux' ? test : test.skip)(
  'elections on both sides lose nothing, with large documents and a load',
  async () => {
    const urls = (await Promise.all([1, 2].map(() => startReplicaSet(MONGOD, 3)))).map(({ url }) => url);
    const [source, target] = urls.map((url) => new MongoClient(url));
    cleanUp(() => Promise.all([source, target].map((client) => client.close())));
    const collection = source.db('shop').collection('a');
    const copy = target.db('shop').collection('a');
    for (let large = 0; large < 4; large++) await collection.insertOne({ large, LARGE });
    await collection.createIndex({ n: 1 });
    await collection.createIndex({ large: 1 });
    const stopWriting = keepWriting(collection);

    const ends = ['--source', urls[0], '--target', urls[1], '--include', 'shop'];
    const replicator = spawn(process.execPath, ['lab/cli.js', 'replicate', ...ends], {
      env: cleanEnvironment(),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    cleanUp(() => replicator.kill('SIGKILL'));
    let said = '';
    replicator.stderr.setEncoding('utf8').on('data', (text) => {
      said += text;
    });
    const writeAndWait = async (/** @type {string} */ what) => {
      const { insertedId } = await collection.insertOne({ what });
      const isCopied = () => copy.findOne({ _id: insertedId });
      await until(what, isCopied, WAIT_MS).catch((error) => {
        throw new Error(`${error.message}: ${said}`);
      });
    };
    for (const client of [source, target]) {
      await writeAndWait('what was written before the election');
      await client
        .db('admin')
        .command({ replSetStepDown: 5, secondaryCatchUpPeriodSecs: 4 })
        .catch(ignoreLostConnection);
      await writeAndWait('what was written after the election');
    }
    await stopWriting();
    await writeAndWait('the last document');
    const [, peakKiB] = /VmHWM:\s+(\d+)/.exec(await readFile(`/proc/${replicator.pid}/status`, 'utf8')) ?? [];
    replicator.kill('SIGTERM');
    expect(await once(replicator, 'close')).toEqual([143, null]);
    expect((Number(peakKiB) * 1024) / 1e6).toBeLessThan(300);
    expect(await runCli(['replicate', ...ends, '--until-caught-up'])).toMatchObject({ code: 0 });
    expect(await runCli(['replicate', ...ends, '--verify'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Identical: 1 collections/),
    });
  },
  300_000,
);

/** @param {Error} error */
function ignoreLostConnection(error) {
  if (error.name !== 'MongoNetworkError') throw error;
}
