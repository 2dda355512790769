import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import { replicate } from '../src/replication/replicate.js';
import { until } from 'test-support/waiting.js';
import { openTcpProxy } from 'test-support/network.js';
import { startTwoSets, describeData } from './connections.js';

/** @import { Socket } from 'node:net' */
/** @import { MongoClient } from 'mongodb' */

const MAX_SILENCE_MS = 3000;
/** Larger than what sockets and proxies buffer. */
const LARGE = 'x'.repeat(8 << 20);

/** @type {MongoClient[]} */
let clients;
/** @type {Awaited<ReturnType<typeof openBreakableLine>>[]} */
let lines;
beforeAll(async () => {
  const two = await startTwoSets();
  clients = two.clients;
  lines = await Promise.all(two.sets.map(({ port }) => openBreakableLine(port)));
});
beforeEach(async () => {
  await clients[0].db('shop').collection('a').insertOne({});
});

/** A line that can go silent without closing. @param {number} port */
async function openBreakableLine(port) {
  /** @type {'open' | 'swallows everything' | 'takes nothing'} */
  let state = 'open';
  let connections = 0;
  /** @type {(from: Socket, to: Socket) => void} */
  const forward = (from, to) => {
    if (from.localPort === proxy.port) {
      connections++;
      from.once('end', () => {
        connections--;
      });
    }
    from.on('data', (chunk) => {
      if (state === 'open') to.write(chunk);
      else if (state === 'takes nothing') from.pause();
    });
    from.on('close', () => state === 'open' && to.destroy());
  };
  const proxy = await openTcpProxy(port, forward);
  return {
    url: `mongodb://127.0.0.1:${proxy.port}/?directConnection=true`,
    /** Those that the replicator has not closed. Unknown if the line takes nothing, not even the end. */
    get connections() {
      return connections;
    },
    /** @param {'swallows everything' | 'takes nothing'} how */
    breakIt(how) {
      state = how;
    },
    async repair() {
      state = 'open';
      connections = 0;
      proxy.cut();
      await proxy.restore();
    },
  };
}

test.each([
  ['source', 'swallows everything'],
  ['source', 'takes nothing'],
  ['target', 'swallows everything'],
  ['target', 'takes nothing'],
])('when the line to the %s %s, lag grows, stop ends, and a repaired line is used', async (role, how) => {
  const [source, target] = clients;
  const lineToBreak = lines[role === 'source' ? 0 : 1];
  const { figures, stop, done } = await replicate({
    sources: [lines[0].url],
    target: lines[1].url,
    workers: 3,
    hash: 'id',
    from: 'checkpoint',
    maxSilenceMs: MAX_SILENCE_MS,
  });
  const write = () => source.db('shop').collection('a').insertMany([{ LARGE }, { LARGE }, {}]);
  await until('it follows', () => figures().inserts > 0 && figures().lagMs === 0);

  lineToBreak.breakIt(/** @type {any} */ (how));
  await write();
  await until('lag', () => figures().lagMs > 2 * MAX_SILENCE_MS);
  await lineToBreak.repair();
  await until(
    'the same data',
    async () => JSON.stringify(await describeData(source)) === JSON.stringify(await describeData(target)),
    60_000,
  );

  lineToBreak.breakIt(/** @type {any} */ (how));
  await write();
  await stop();
  // If one is left, the process does not exit.
  if (how === 'swallows everything') await until('the end of every connection', () => lineToBreak.connections === 0);
  await done.catch((error) => {
    expect(error.message).toMatch(new RegExp(`^the ${role} 127`));
  });
  await lineToBreak.repair();
});

test.each(['source', 'target'])(
  'when the line to the %s goes silent during a copy, the copy continues on a repaired line',
  async (role) => {
    const [source, target] = clients;
    const lineToBreak = lines[role === 'source' ? 0 : 1];
    const copied = `copied-by-${role}`;
    for (let count = 0; count < 8; count++) await source.db(copied).collection('a').insertOne({ LARGE });
    const { figures, done } = await replicate({
      sources: [lines[0].url],
      target: lines[1].url,
      workers: 2,
      hash: 'id',
      from: 'snapshot',
      until: 'caught up',
      maxSilenceMs: MAX_SILENCE_MS,
      namespaces: { include: [copied] },
      checkpointId: copied,
    });
    await until('a document', () => Number(figures().copy?.documents) > 0);
    lineToBreak.breakIt('swallows everything');
    await until('lag', () => figures().lagMs > 1.2 * MAX_SILENCE_MS);
    expect(figures().copy?.phase).toBe('copying');
    await lineToBreak.repair();
    expect(await done).toMatchObject({ copy: { phase: 'done' } });
    const [expected, found] = await Promise.all([source, target].map(describeData));
    expect(found[`${copied}.a`]).toEqual(expected[`${copied}.a`]);
  },
);
