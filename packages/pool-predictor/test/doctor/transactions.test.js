import { describe, expect, test } from '@jest/globals';
import { diagnose } from '../../src/doctor/diagnose.js';
import { judgeTrust } from '../../src/predict/trust.js';
import { pickPool } from '../../src/trace/pick-pool.js';
import { record } from './recordings.js';

/** @import { Line } from './recordings.js' */

const CONFLICT = { outcome: 'operationFailed', reason: 'WriteConflict' };
const behindReports = { behind: [[1, 0, 900, 901]] };

/**
 * Requests of /report, each with some checkouts one after another.
 *
 * @param {number} count
 * @param {(index: number) => Line[]} checkoutsOf what is special about each of them
 */
function requests(count, checkoutsOf) {
  return Array.from({ length: count }, (_, request) => {
    const startedMs = request * 100;
    let atMs = startedMs;
    const lines = checkoutsOf(request).map((checkout) => {
      const line = { atMs, waitMs: 0, useMs: 2, pool: 0, connection: 1, route: 1, operation: 0, request, ...checkout };
      atMs += line.waitMs + line.useMs + 1;
      return line;
    });
    return [...lines, { request, route: 1, atMs: startedMs, durationMs: atMs - startedMs, status: 200 }];
  }).flat();
}

/** A transaction of two queries, the second of which waits. @param {number} transaction */
const waiting = (transaction) => [{ transaction }, { transaction, waitMs: 30, ...behindReports }];
/** One of two queries that fails by a conflict, and is begun again. @param {number} transaction */
const repeated = (transaction) => [
  { transaction },
  { transaction, ...CONFLICT },
  { transaction: transaction + 100 },
  { transaction: transaction + 100 },
];

/** The same load without transactions. @param {Line[]} lines */
const plain = (lines) =>
  lines.map((line) => ({ ...line, transaction: undefined, reason: undefined, outcome: undefined }));

describe('transactions are the cause', () => {
  test('if they wait for a connection while they are open', async () => {
    const lines = requests(40, (index) => waiting(index + 1));
    const { verdict, causes, totals } = diagnose(await record(lines));
    const costs = { route: '/report', count: 40, conflicts: 0, lostShare: 0, waiting: 40, waitMs: 30, atOnce: 1 };
    expect(verdict).toMatchObject({ cause: 'transactions', isProblem: true, facts: { transactions: costs } });
    expect(causes[0].proofs).toHaveLength(3);
    expect(causes.reduce((sum, { waitedMs }) => sum + waitedMs, 0)).toBeCloseTo(totals.poolWaitedMs, 6);
    expect(diagnose(await record(plain(lines))).verdict.cause).toBe('fullPool');
  });

  test('but not of the wait before one is open', async () => {
    const lines = requests(40, (index) => waiting(index + 1).toReversed());
    expect(diagnose(await record(lines)).verdict.cause).toBe('fullPool');
  });

  test('if half of those who have the connections begin them again', async () => {
    const behind = (/** @type {number} */ other) =>
      requests(40, (index) => (index % 2 ? repeated(index) : [{ waitMs: 30, behind: [[1, 0, index + 1, other]] }]));
    const causeOf = async (/** @type {Line[]} */ lines) => diagnose(await record(lines)).causes[0].cause;
    expect(await causeOf(behind(900))).toBe('transactions');
    expect(await causeOf(plain(behind(900)))).toBe('fullPool');
    expect(
      await causeOf(
        requests(40, (index) =>
          index % 2 ? repeated(index) : [{ waitMs: 30, behind: [[1, 0, index + 1, 900, 901]] }],
        ),
      ),
    ).toBe('fullPool');
  });

  test('if those that failed take a tenth of the time of their requests', async () => {
    const find = async (/** @type {number} */ conflicts, times = 1) =>
      diagnose(
        await record(
          requests(40, (index) =>
            index < conflicts ? repeated(index + 1) : [{ transaction: index + 1, useMs: 4 * times }],
          ),
        ),
      );
    const { verdict, findings } = await find(20);
    expect(verdict).toMatchObject({
      ...{ cause: 'transactions', isProblem: true, meanWaitMs: 0 },
      facts: {
        transactions: { count: 60, conflicts: 20, lostShare: expect.closeTo((20 * 6) / (20 * 12 + 20 * 5), 6) },
      },
    });
    expect(findings).toEqual([]);
    const rare = await find(5, 10);
    expect(rare.verdict.cause).toBe('none');
    expect(rare.findings).toMatchObject([{ kind: 'transactions', route: '/report', count: 45, conflicts: 5 }]);
    const once = await find(2);
    expect([once.verdict.cause, once.findings]).toEqual(['none', []]);
  });
});

describe('if transactions conflict', () => {
  const reasonsOf = async (/** @type {Line[]} */ lines) => {
    const idle = { event: 'server', atMs: 1, cores: 2, busyCores: 0.1 };
    const { trace } = pickPool(await record([...lines, idle]));
    const { reasonToHide } = judgeTrust({ trace, load: /** @type {any} */ ({}) }, null);
    return [1, 2, 4].map((poolSize) => reasonToHide({ poolSize, ms: 10 }));
  };

  test('smaller pools get no figures: in these, they would be open for longer', async () => {
    const lines = requests(40, (index) => repeated(index + 1));
    const reason = { code: 'transactions', figures: { transactions: 80, conflicts: 40, waitedShare: 0 } };
    expect(await reasonsOf(lines)).toEqual([reason, null, null]);
    expect(await reasonsOf(plain(lines))).toEqual([null, null, null]);
    expect(await reasonsOf(requests(40, (index) => waiting(index + 1)))).toEqual([null, null, null]);
  });

  test('no size gets any, if waits for connections kept them open', async () => {
    const lines = requests(40, (index) => [...repeated(index + 1), ...waiting(index + 201)]);
    const reason = {
      code: 'transactions',
      figures: { transactions: 120, conflicts: 40, waitedShare: 30 / 45 },
    };
    expect(await reasonsOf(lines)).toEqual([reason, reason, reason]);
  });
});
