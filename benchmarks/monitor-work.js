// How much work is the monitor alone? Replays what the driver's pool emits, without a server, and counts processor time
// and allocated bytes per checkout, less what the same replay takes without a monitor. The kinds take turns, each in its
// own process; the figures are medians over the turns.
//
//   node benchmarks/monitor-work.js [--turns 9]
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Command } from 'commander';
import { Checkouts, monitorPool } from 'mongodb-pool-monitor';
import { quantile } from 'mongodb-pool-predictor';
import { parsePositive } from '../src/cli/option-parsers.js';
import { ReplayedPool } from './monitor-work/replayed-pool.js';

/** What a turn does: so many callers share the connections. In timeouts they all give up. */
const LOADS = {
  warm: { connections: 10, callers: 8, checkouts: 20_000 },
  queue: { connections: 10, callers: 200, checkouts: 20_000 },
  timeouts: { connections: 100, callers: 5100, checkouts: 5000 },
};
const KINDS = ['plain', 'monitor', 'monitor and record', 'requests', 'monitor and record of requests'];
/** What the same work costs without us. @type {Record<string, string>} */
const BASE = { 'monitor': 'plain', 'monitor and record': 'plain', 'monitor and record of requests': 'requests' };
const WARM_UP_TURNS = 3;

if (process.send) serve();
else await compare();

/** @param {ReplayedPool} pool @param {typeof LOADS.warm} load @param {(work: () => Promise<void>) => Promise<void>} request */
async function use(pool, { callers, checkouts }, request) {
  let left = checkouts;
  await Promise.all(Array.from({ length: callers }, async () => {
    while (left-- > 0) {
      await request(async () => {
        const id = await pool.checkOut();
        await Promise.resolve();
        pool.checkIn(id);
      });
    }
  }));
}

/** @param {ReplayedPool} pool @param {typeof LOADS.warm} load @param {(work: () => Promise<void>) => Promise<void>} request */
async function timeOut(pool, { connections, checkouts }, request) {
  const held = await Promise.all(Array.from({ length: connections }, () => pool.checkOut()));
  let giveUp = () => {};
  const patience = new Promise((resolve) => {
    giveUp = () => resolve(undefined);
  });
  const waiting = Array.from({ length: checkouts }, () => request(async () => {
    const startedMs = Math.floor(performance.now());
    pool.checkOut();
    await patience;
    pool.timeOut(startedMs);
  }));
  await nextTurn();
  const before = readCost();
  giveUp();
  await Promise.all(waiting);
  const cost = readCost(before);
  for (const id of held) pool.checkIn(id);
  return cost;
}

/** @param {{ us: number, bytes: number }} [before] @returns {{ us: number, bytes: number }} */
function readCost({ us, bytes } = { us: 0, bytes: 0 }) {
  const { user, system } = process.cpuUsage();
  return { us: user + system - us, bytes: process.memoryUsage().heapUsed - bytes };
}

/** The child: a turn on every message. */
function serve() {
  const [kind] = process.argv.slice(2);
  const checkouts = new Checkouts();
  const isFollowed = kind.endsWith('record of requests');
  /** @type {(work: () => Promise<void>) => Promise<void>} */
  const request = isFollowed ? (work) => checkouts.run({ route: '/users/:id' }, work) : (work) => work();
  // Kept from turn to turn, as in an app: new ones would be compiled anew.
  const pools = Object.fromEntries(Object.entries(LOADS).map(([name, { connections }]) => {
    const pool = new ReplayedPool(connections);
    if (kind.startsWith('monitor')) {
      const monitor = monitorPool(pool.monitored);
      if (kind.includes('record')) checkouts.watch(monitor);
    }
    pool.open();
    return [name, pool];
  }));
  process.on('message', async (/** @type {keyof typeof LOADS} */ name) => {
    const load = LOADS[name];
    const before = readCost();
    const spent = name === 'timeouts' ? await timeOut(pools[name], load, request) : await use(pools[name], load, request);
    const { us, bytes } = spent ?? readCost(before);
    process.send?.({ us: us / load.checkouts, bytes: bytes / load.checkouts });
  });
}

async function compare() {
  const { turns } = new Command('monitor-work.js')
    .description("Counts the monitor's processor time and allocated bytes per checkout, without a server.")
    .option('--turns <n>', 'turns of each kind', parsePositive, 9)
    .parse().opts();
  // Room for all that a turn allocates, so that it is counted before it is collected. No forced collections: they would also
  // throw compiled code away.
  const execArgv = ['--max-semi-space-size=256', '--min-semi-space-size=256'];
  const children = KINDS.map((kind) => fork(new URL(import.meta.url), [kind], { execArgv }));
  for (const name of Object.keys(LOADS)) {
    const costs = new Map(KINDS.map((kind) => [kind, /** @type {{ us: number, bytes: number }[]} */ ([])]));
    for (let turn = -WARM_UP_TURNS; turn < turns; turn += 1) {
      for (const [index, kind] of KINDS.entries()) {
        children[index].send(name);
        const [cost] = await once(children[index], 'message');
        if (turn >= 0) costs.get(kind)?.push(cost);
      }
    }
    /** @param {string} kind @param {'us' | 'bytes'} what */
    const median = (kind, what) => quantile((costs.get(kind) ?? []).map((cost) => cost[what]), 0.5);
    for (const [kind, base] of Object.entries(BASE)) {
      const [us, bytes] = /** @type {const} */ (['us', 'bytes']).map((what) => median(kind, what) - median(base, what));
      const ratio = median(kind, 'us') / median(base, 'us');
      process.stdout.write(`${name.padEnd(9)} ${kind.padEnd(31)} ${us.toFixed(2).padStart(6)} us, `
        + `${bytes.toFixed(0).padStart(5)} bytes a checkout; ${ratio.toFixed(2)} of ${base}\n`);
    }
  }
  for (const child of children) child.disconnect();
}
