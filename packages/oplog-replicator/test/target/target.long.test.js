import { expect, test } from '@jest/globals';
import { BSON } from 'mongodb';
import { isTransient } from '../../src/base/errors.js';
import { createNamespaces } from '../../src/base/namespaces.js';
import { Target } from '../../src/target/target.js';
import { startReplicaSet } from 'test-support/cleanup.js';
import { until } from 'test-support/waiting.js';
import { openClient, openDeployment } from '../connections.js';

const UNKNOWN_STAGE = 40324;
const SHUTDOWN_IN_PROGRESS = 91;

/** @param {string[]} [args] of the mongod */
async function open(args) {
  const { url } = await startReplicaSet(args);
  return { admin: openClient(url).db('admin'), target: new Target(openDeployment(url), { replication: 'one' }) };
}

// A new primary may lack what the old one acknowledged alone. The driver finds it without an error.
test('after an election, nothing confirms the earlier writes of a session', async () => {
  const { admin, target } = await open();
  const namespace = createNamespaces().named('shop.a');
  const write = (/** @type {number} */ _id) =>
    target.write(namespace, 'insert', 'documents', [Buffer.from(BSON.serialize({ _id }))]);
  await target.begin();
  await write(1);
  await target.confirm();

  const { electionId: before } = await admin.command({ hello: 1 });
  await admin.command({ replSetStepDown: 1, force: true });
  await until('another primary', async () => {
    const hello = await admin.command({ hello: 1 }).catch(() => null);
    return hello?.isWritablePrimary && !hello.electionId.equals(before);
  });
  for (const attempt of [() => target.confirm(), () => write(2)]) {
    // The first commands may still find closed connections.
    /** @type {any} */
    let failure;
    await until('an answer of the new primary', async () => {
      failure = await attempt().then(
        () => null,
        (error) => error,
      );
      return failure === null || failure.message.endsWith('it has another primary');
    });
    expect(failure?.message).toMatch(/^the target 127\.0\.0\.1:\d+: it has another primary$/);
    expect(isTransient(failure)).toBe(true);
  }
  await target.begin();
  await write(3);
  await target.confirm();
});

test('a target that refuses to apply diffs is noticed, and one that is not available is an error', async () => {
  const { admin, target } = await open(['--setParameter', 'enableTestCommands=1']);
  const failOnce = (/** @type {number} */ errorCode) =>
    admin.command({
      configureFailPoint: 'failCommand',
      mode: { times: 1 },
      data: { failCommands: ['update'], errorCode },
    });
  expect(await target.canApplyDiffs()).toBe(true);
  await failOnce(UNKNOWN_STAGE);
  expect(await target.canApplyDiffs()).toBe(false);
  await failOnce(SHUTDOWN_IN_PROGRESS);
  await expect(target.canApplyDiffs()).rejects.toThrow(/^the target 127\.0\.0\.1:\d+: /);
});
