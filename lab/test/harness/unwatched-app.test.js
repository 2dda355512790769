import { expect, test } from '@jest/globals';
import { ATTACH_OPTION } from '../../harness/attached-app.js';
import { ProblemFinder } from '../../harness/unwatched-app.js';

const LATE_MS = 4000;
const attached = { pid: 1, threadId: 0, command: 'app.js', ports: [3000], clients: [] };
const alone = { pid: 2, port: 3001, command: 'node app.js', nodeOptions: '--no-warnings' };
const python = { pid: 3, port: 3002, problem: 'Process 3 is not Node.js: it runs python3' };

/**
 * What is found at first, and when it was late.
 * @param {Parameters<ProblemFinder['find']>[0]} processes
 * @param {Parameters<ProblemFinder['find']>[1]} unreported
 */
function find(processes, unreported) {
  const finder = new ProblemFinder();
  const found = [0, LATE_MS, 2 * LATE_MS].map((nowMs) =>
    finder.find(processes, unreported, nowMs).map(({ text, isFinal }) => (isFinal ? [text] : text)),
  );
  expect(found.pop()).toEqual([]);
  return found;
}

test('a Node.js process that listens without the monitor is named at once, with what to write', () => {
  const watched = { ...attached, url: 'http://127.0.0.1:1' };
  expect(find([watched], [alone])).toEqual([
    [
      'process 2 (node app.js) listens on port 3001, but is not watched. What starts it sets ' +
        'NODE_OPTIONS=--no-warnings in place of ours: write NODE_OPTIONS="$NODE_OPTIONS --no-warnings" there, ' +
        'or watch it as it is with: pool-lab attach 2',
    ],
    [],
  ]);
  expect(find([watched], [{ ...alone, nodeOptions: undefined }])[0]).toEqual([
    expect.stringContaining('What starts it does not pass on NODE_OPTIONS: let it keep NODE_OPTIONS and the settings'),
  ]);
  // It has the monitor, and listens for a debugger.
  expect(find([watched], [{ ...alone, nodeOptions: `--inspect ${ATTACH_OPTION}` }])).toEqual([[], []]);
});

test('an app that listens for a while without a MongoClient is named, unless another process has one', () => {
  const text =
    'process 1 (app.js) listens on port 3000, but no MongoClient of driver 4 or later has connected in it. ' +
    "A client that connects later will be watched. Other drivers, such as Prisma's engine, can't be";
  expect(find([attached], [])).toEqual([[], [text]]);
  expect(find([attached], undefined)).toEqual([[], [text]]);
  expect(find([{ ...attached, ports: [] }], [])).toEqual([[], []]);
  expect(find([attached, { ...attached, pid: 4, url: 'http://127.0.0.1:1' }], [])).toEqual([[], []]);
  // It has said so itself.
  expect(find([{ ...attached, notWatched: 'driver 3' }], [])).toEqual([[], []]);
});

test('other programs are named only if no process has the monitor', () => {
  const text = "port 3002 can't be watched. Process 3 is not Node.js: it runs python3";
  expect(find([], [python])).toEqual([[], [text]]);
  expect(find([{ ...attached, ports: [] }], [python])).toEqual([[], []]);
});

test('Bun and Deno are named whether or not they listen, which is final if they do', () => {
  const problem = 'Process 3 is not Node.js: it runs bun';
  const bun = { pid: 3, problem, isRuntime: true };
  expect(find([], [bun])).toEqual([[], [problem]]);
  expect(find([], [{ ...bun, port: 3002 }])).toEqual([[], [[`port 3002 can't be watched. ${problem}`]]]);
  expect(find([attached], [bun])).toEqual([[], [expect.stringContaining('process 1 (app.js) listens on port 3000')]]);
});

test('a worker without a client is named, but only one of the processes that a build goes through', () => {
  const finder = new ProblemFinder();
  const worker = (/** @type {number} */ pid) => ({ pid, command: `node ${pid}.js`, nodeOptions: ATTACH_OPTION });
  expect(finder.find([], [worker(5), worker(6)], 0)).toEqual([]);
  expect(finder.find([], [worker(5), worker(6)], LATE_MS).map(({ text }) => text)).toEqual([
    expect.stringMatching(/^process 5 \(node 5\.js\) runs, but no MongoClient has connected in it so far\. /),
  ]);
  expect(finder.find([], [worker(6)], 2 * LATE_MS)).toEqual([]);
});

test('where the system does not list who listens, an app that never reports is told what may be wrong', () => {
  const [early, late] = find([], undefined);
  expect(early).toEqual([]);
  expect(late).toEqual([expect.stringContaining('write NODE_OPTIONS="$NODE_OPTIONS ..." there')]);
  expect(find([], [])).toEqual([[], []]);
});
