import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { readTrace } from '../src/predict/trace/trace.js';
import { runNode } from './support/run-node.js';
import { scratchFolder } from './support/scratch-folder.js';

const root = path.resolve('.');
const tsc = path.join(root, 'node_modules/typescript/bin/tsc');

/**
 * Compile a TypeScript file of another project as strictly as there is.
 * @param {string} source
 */
async function compile(source) {
  const folder = await scratchFolder();
  await writeFile(path.join(folder, 'consumer.ts'), source);
  await writeFile(path.join(folder, 'tsconfig.json'), JSON.stringify({
    compilerOptions: {
      module: 'nodenext', target: 'es2023', strict: true, noEmit: true, allowJs: true, skipLibCheck: true,
      types: ['node'], typeRoots: [path.join(root, 'node_modules/@types')],
      paths: {
        'mongodb-pool-lab': [path.join(root, 'src/index.d.ts')],
        mongodb: [path.join(root, 'node_modules/mongodb/mongodb.d.ts')],
        '#implementation': [path.join(root, 'src/index.js')],
      },
    },
    files: ['consumer.ts'],
  }));
  return promisify(execFile)(process.execPath, [tsc, '--project', folder]).catch((error) => error);
}

test('the example shows how a small pool makes its callers wait, and its record can be replayed', async () => {
  const file = path.join(await scratchFolder(), 'own.jsonl');
  const { code, stdout, stderr } = await runNode(
    ['examples/monitor-your-own-client.js', String(process.env.TEST_MONGO_URL), file]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const [, checkouts, longestMs] = stdout.match(
    /^(10\d) checkouts over 2 connections, up to (?:9\d|100) callers waiting\n[^]* the longest ([\d.]+) ms\n/) ?? [];

  const trace = await readTrace(file);
  expect(trace).toMatchObject({ header: { maxPoolSize: 2 }, warnings: [] });
  // Its own end, which the driver tells the server of, may be one more.
  expect([0, 1]).toContain(trace.askedMs.length - Number(checkouts));
  // The monitor's histogram tells three digits.
  expect(Math.max(...Array.from(trace.waitMs)) / Number(longestMs)).toBeCloseTo(1, 2);
});

test('the declaration serves a strict TypeScript project and agrees with what it declares', async () => {
  const { stdout } = await compile(`
    import { MongoClient } from 'mongodb';
    import { createTraceWriter, monitorPool, type PoolMonitor, type PoolSnapshot } from 'mongodb-pool-lab';
    import { createTraceWriter as writerImplementation, monitorPool as implementation } from '#implementation';

    const monitor: PoolMonitor = monitorPool(new MongoClient('mongodb://localhost'));
    const leave: () => void = monitor.subscribe(({ type, durationMs }) => { if (type === 'got') durationMs.toFixed(); });
    const { totals, servers } = monitor.snapshot();
    const waiting: number = totals.waiting + servers['localhost:27017'].waiting;
    export { leave, waiting };
    export const recording = monitorPool(new MongoClient('mongodb://localhost'), { record: {} as Awaited<ReturnType<typeof createTraceWriter>> });
    export const declaredWriter: typeof createTraceWriter = writerImplementation;

    export const declared: typeof monitorPool = implementation;
    export const told: Required<PoolSnapshot> = implementation(new MongoClient('mongodb://localhost')).snapshot().totals;
    // Both ways: nothing is in the snapshot that is not declared.
    type Told = ReturnType<ReturnType<typeof implementation>['snapshot']>['totals'];
    export const all: Record<keyof Told, unknown> = {} as PoolSnapshot;
  `);
  expect(stdout ?? '').toBe('');
});

test('the declaration of gatherInserts keeps the schema, and agrees with what it declares', async () => {
  const { stdout } = await compile(`
    import { type Collection, ObjectId } from 'mongodb';
    import { gatherInserts, OutcomeUnknownError } from 'mongodb-pool-lab';
    import * as implementation from '#implementation';

    export async function insert(collection: Collection<{ _id: ObjectId, email: string }>): Promise<ObjectId> {
      const writer = gatherInserts(collection, { maxBatch: 100 });
      await writer.ready();
      // @ts-expect-error a document without its e-mail address
      writer.insert({ _id: new ObjectId() });
      const { insertedId } = await writer.insert({ _id: new ObjectId(), email: 'a@example.com' });
      await writer.close();
      return insertedId;
    }
    export const declared: typeof gatherInserts = implementation.gatherInserts;
    export const declaredError: typeof OutcomeUnknownError = implementation.OutcomeUnknownError;
    export const writer: Record<keyof ReturnType<typeof implementation.gatherInserts>, unknown> =
      {} as ReturnType<typeof gatherInserts>;
  `);
  expect(stdout ?? '').toBe('');
});

test('the declaration refuses what monitorPool would choke on', async () => {
  const { stdout } = await compile(`
    import { monitorPool } from 'mongodb-pool-lab';
    monitorPool('mongodb://localhost');
  `);
  expect(stdout).toContain("Argument of type 'string' is not assignable to parameter of type 'MongoClient'");
});
