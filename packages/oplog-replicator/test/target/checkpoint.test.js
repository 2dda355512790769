import { expect, test } from '@jest/globals';
import { ObjectId } from 'mongodb';
import { createCheckpoint } from '../../src/target/checkpoint.js';

test('a checkpoint is written once a majority has everything before it', async () => {
  /** @type {string[]} */
  const log = [];
  /** @type {any} */
  const target = {
    async confirm() {
      log.push('asked for the majority');
      await null;
      log.push('has the majority');
    },
    async writeState(/** @type {string} */ collection) {
      log.push(collection);
    },
  };
  const checkpoint = createCheckpoint(target, { name: 'one', setId: new ObjectId() });
  await checkpoint.write({ applied: { seconds: 1, increment: 0, term: 1 }, since: null });
  expect(log.slice(0, 3)).toEqual(['asked for the majority', 'has the majority', 'checkpoints']);
});
