import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { scratchFolder } from 'test-support/cleanup.js';
import { createStateFile } from '../../../workshop/class/class-file.js';
import { openState } from '../../../workshop/class/class-roll.js';
import { LESSONS } from './sample-lessons.js';

/** Windows has no such modes. */
const onPosix = process.platform === 'win32' ? test.skip : test;

onPosix("only the teacher can read the learners' ids, whoever could read the file before", async () => {
  const file = path.join(await scratchFolder(), 'class.json');
  await writeFile(file, 'earlier', { mode: 0o644 });
  const state = openState(LESSONS);
  await createStateFile(file, state, (error) => {
    throw error;
  }).close();
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(state);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});
