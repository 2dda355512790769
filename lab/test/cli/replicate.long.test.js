import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { cleanUp, scratchFolder, startReplicaSet } from 'test-support/cleanup.js';
import { listen } from 'test-support/processes.js';
import { until } from 'test-support/waiting.js';
import { cleanEnvironment } from '../../../test/support/start-app.js';
import { interruptCommand } from '../support/interrupt-command.js';
import { runCli } from '../support/run-cli.js';

/** @import { Db } from 'mongodb' */
/** @import { CommandState } from '../support/interrupt-command.js' */

describe('replicate', () => {
  /** @type {string[]} */
  let ends;
  /** @type {Db} */
  let source;
  /** @type {Db} */
  let target;
  beforeAll(async () => {
    const urls = (await Promise.all([startReplicaSet(), startReplicaSet()])).map(({ url }) => url);
    ends = ['--source', urls[0], '--target', urls[1]];
    const clients = urls.map((url) => new MongoClient(url));
    cleanUp(() => Promise.all(clients.map((client) => client.close())));
    [source, target] = clients.map((client) => client.db('shop'));
  });

  /** @param {string[]} args */
  function start(...args) {
    const child = spawn(process.execPath, ['lab/cli.js', 'replicate', ...ends, ...args], {
      env: cleanEnvironment(),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    cleanUp(() => child.kill('SIGKILL'));
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text) => {
      said += text;
    });
    const closed = once(child, 'close');
    return {
      pid: child.pid,
      said: () => said,
      /** @param {NodeJS.Signals} signal */
      async end(signal) {
        child.kill(signal);
        return (await closed)[0];
      },
    };
  }

  test('copies, follows, serves metrics, stops cleanly, continues, and compares', async () => {
    await source.collection('a').insertMany(Array.from({ length: 1000 }, (_, n) => ({ n })));
    await source.createCollection('view', { viewOn: 'a', pipeline: [] });
    await source.createCollection('series', { timeseries: { timeField: 'at' } });
    const running = start('--include', 'shop', '--metrics-port', '0');
    const [, metrics] = await until('the metrics', () => /^Metrics: (http:\S+)$/m.exec(running.said()));
    await until('the copy', async () => (await target.collection('a').countDocuments()) === 1000);
    await source.collection('a').insertOne({ n: -1 });
    await until('what was inserted later', () => target.collection('a').findOne({ n: -1 }));
    // It may have come with the oplog that completes the copy.
    const text = await until('the copy is complete', async () => {
      const read = await (await fetch(metrics)).text();
      return /^oplog_replicator_copying 0$/m.test(read) && read;
    });
    expect(text).toMatch(/^oplog_replicator_operations_total\{kind="inserts"\} 1$/m);
    expect(text).toMatch(/^oplog_replicator_lag_seconds \d+(\.\d+)?$/m);
    expect((await fetch(metrics.replace('metrics', 'other'))).status).toBe(404);

    expect(await running.end('SIGINT')).toBe(130);
    expect(running.said()).toMatch(/^Not replicated: shop\.view \(view\)$/m);
    expect(running.said()).toMatch(/^Not replicated: shop\.series \(time series\)$/m);
    expect(running.said()).toMatch(
      /^Stopped: 1,000 documents copied and \d+ operations applied in \d+ s\. The same command continues$/m,
    );

    const killed = start('--include', 'shop');
    await until('it has begun', () => killed.said().includes('Following'));
    const refused = await runCli(['replicate', ...ends, '--include', 'shop.a', '--hash', 'collection']);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(
      new RegExp(`already replicating this source to the target .*: process ${killed.pid} on .+ Stop it first`),
    );
    await killed.end('SIGKILL');
    await source.collection('a').updateOne({ n: 7 }, { $set: { changed: true } });
    const again = await runCli(['replicate', ...ends, '--include', 'shop', '--until-caught-up']);
    expect(again).toMatchObject({ code: 0, stdout: '' });
    expect(again.stderr).toMatch(
      /^Following the oplog from the checkpoint\nCaught up: \d operations applied in \d+ s\n$/,
    );
    expect(await runCli(['replicate', ...ends, '--include', 'shop', '--verify'])).toEqual({
      code: 0,
      stderr: '',
      stdout: expect.stringMatching(/^Identical: 1 collections, 1,001 documents, \d+ kB\n$/),
    });

    const { insertedId } = await target.collection('a').insertOne({ n: 'foreign' });
    const different = await runCli(['replicate', ...ends, '--include', 'shop', '--verify']);
    expect(different.code).toBe(1);
    expect(different.stdout.split('\n')).toEqual([
      `shop.a: all documents: 1001 on the source, 1002 on the target; 1 different: {"_id":{"$oid":"${insertedId}"}}`,
      expect.stringMatching(/^Different: 1 collections, 1,001 documents, \d+ kB$/),
      '',
    ]);
  });

  // /proc tells which processes are left.
  (process.platform === 'linux' ? test : test.skip)(
    'a signal ends it at any moment, also while it waits for a server',
    async () => {
      const folder = await scratchFolder();
      let isAsked = false;
      const silent = createServer(() => {
        isAsked = true;
      });
      const port = await listen(silent);
      cleanUp(() => silent.close());
      const unreachable = [ends[0], ends[1], '--target', `mongodb://127.0.0.1:${port}`];
      const copies = (/** @type {CommandState} */ { said }) => /^(Copying|Following)/m.test(said);
      /** The demo has begun, and the command that it prints works. */
      const isReplicated = async (/** @type {CommandState} */ { said }) => {
        const [, command] = /^npx pool-lab (replicate .+)$/m.exec(said) ?? [];
        if (!command) return false;
        expect(await runCli([...command.split(' '), '--until-caught-up'])).toMatchObject({ code: 0 });
        return true;
      };
      /** @type {[string[], (state: CommandState) => unknown][]} */
      const moments = [
        [['--demo'], isReplicated],
        [unreachable, () => isAsked],
        [[...unreachable, '--verify'], () => isAsked],
        [[...ends, '--include', 'shop'], copies],
      ];
      for (const [args, when] of moments) {
        isAsked = false;
        const { code, left } = await interruptCommand(['replicate', ...args], { folder, when, signal: 'SIGTERM' });
        expect({ code, left }).toEqual({ code: 143, left: [] });
      }
    },
  );
});
