import { describe, expect, test } from '@jest/globals';
import { parseProcess } from '../../../src/process/process-info.js';
import { compareCores, listOwn, watchMachine } from '../../harness/machine-share.js';
import { listFindings } from '../../report/findings.js';
import { describeMachine, wasBusy } from '../../report/machine.js';
import { renderTable } from '../../report/table.js';
import { createSampleResult } from '../report/sample-result.js';
import { measureLab } from '../support/measure-lab.js';
import { labs } from '../../labs/index.js';

/** @import { AnyLab } from '../../harness/run-lab.js' */

describe("this machine's cores", () => {
  /** @param {number} busy @param {number} own */
  const after = (busy, own) =>
    compareCores({ total: 1000, busy: 500, own: 100 }, { total: 1400, busy: 500 + busy, own: 100 + own });

  test.each([
    ['all for the lab, which needs one of two', [200, 200], { share: 1, isShort: false }],
    ['all for the lab, which needs both', [400, 400], { share: 1, isShort: true }],
    ['half for others, and the lab hardly works', [210, 10], { share: 0.5, isShort: false }],
    ['half for others, and the lab needs the other half', [390, 190], { share: 0.5, isShort: true }],
    ['clocks that tick apart', [398, 400], { share: 1, isShort: true }],
  ])('%s', (_, [busy, own], use) => {
    expect(after(busy, own)).toEqual(use);
  });

  test('a clock that stands still says nothing', () => {
    const times = { total: 1000, busy: 500, own: 100 };
    expect(compareCores(times, times)).toEqual({ share: 1, isShort: false });
  });

  test('the name of a process may have spaces and brackets; the work of its ended children is its own', () => {
    const fields = 'S 12 7 7 0 -1 4194560 76 94 0 131 20 8 101 66 20 0 1 0 38 52';
    expect(parseProcess(`345 (a (b) c) ${fields}`)).toMatchObject({
      pid: 345,
      parent: 12,
      name: 'a (b) c',
      isKernel: false,
      ticks: 195,
    });
    expect(parseProcess('2 (kthreadd) S 0 0 0 0 -1 2129984 0 0 0 0 0 5 0 0').isKernel).toBe(true);
  });

  test('ours is what we started, the system, and a mongod where we did not start the server', () => {
    const processes = [
      ['init', 1, 0],
      ['npm', 10, 1],
      ['node', 11, 10],
      ['guard', 12, 11],
      ['mongod', 13, 12],
      ['mongod', 20, 1],
      ['browser', 21, 1],
      ['kworker', 30, 2],
    ].map(([name, pid, parent]) => ({
      ...{ name: String(name), pid: Number(pid), parent: Number(parent), ticks: 1 },
      isKernel: name === 'kworker',
    }));
    const pidsOf = (/** @type {boolean} */ isOwnServer) =>
      listOwn(processes, { root: 11, isOwnServer }).map(({ pid }) => pid);
    expect(pidsOf(true)).toEqual([11, 12, 13, 30]);
    expect(pidsOf(false)).toEqual([11, 12, 13, 20, 30]);
  });

  test('a watch gives a share', () => {
    const { share } = watchMachine({ isOwnServer: true })();
    expect(share).toBeGreaterThanOrEqual(0);
    expect(share).toBeLessThanOrEqual(1);
  });
});

describe('a run beside other programs', () => {
  /** @param {{ share: number, isShort: boolean }[]} uses of the measurements of A and B */
  async function run(uses) {
    const lab = /** @type {AnyLab} */ ({
      ...labs.mixed,
      plan: async () => ({
        settings: {},
        variants: ['A', 'B'].map((name) => ({ name, settings: {}, estimateMs: 1 })),
      }),
      measure: async () => ({ measured: {} }),
      predict: undefined,
    });
    const left = [...uses];
    const watch = () => () => /** @type {{ share: number, isShort: boolean }} */ (left.shift());
    return measureLab(lab, { repeat: uses.length / 2 }, { watch });
  }

  test('each variant has its least share, and the worst is warned of', async () => {
    const uses = [0.98, 0.7, 0.5, 0.97].map((share) => ({ share, isShort: share < 0.9 }));
    const { variants, warnings } = await run(uses);
    expect(variants.map(({ machineShare }) => machineShare)).toEqual([0.5, 0.7]);
    expect(warnings).toEqual([
      'this machine seems to be busy with something else: in "A" the lab could have 50 % of the cores',
    ]);
  });

  test('without a shortage of cores, or with nearly all of them, there is no warning', async () => {
    const { warnings } = await run([
      { share: 0.5, isShort: false },
      { share: 0.95, isShort: true },
    ]);
    expect(warnings).toEqual([]);
  });

  test('a result says what share of the machine the lab could have, and a spoilt one gives no reasons', () => {
    const sample = createSampleResult();
    const shown = (/** @type {number[]} */ shares) => ({
      ...sample,
      variants: sample.variants.map((variant, index) => ({ ...variant, machineShare: shares[index] })),
    });
    expect(describeMachine(sample)).toBe('');
    expect(describeMachine(shown([0.974, 0.972, 0.971]))).toBe(
      "Other programs left 97 % of this machine's 2 cores to the lab.",
    );
    expect(renderTable(labs.mixed, shown([0.97, 0.5, 1]))).toMatch(/Other\s+programs left 50 to 100 %/);
    const lab = { ...labs.mixed, findings: () => [{ claim: 'a / b', measured: 1, published: 3, reason: 'Because.' }] };
    const busy = { ...sample, warnings: ['this machine seems to be busy with something else: 50 %'] };
    expect(wasBusy(busy)).toBe(true);
    expect(listFindings(lab, sample)[0].reason).toBe('Because.');
    expect(listFindings(lab, busy)[0]).toEqual({ claim: 'a / b', measured: 1, published: 3 });
  });
});
