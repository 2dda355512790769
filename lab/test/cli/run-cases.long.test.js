import { copyFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { scratchFolder } from 'test-support/cleanup.js';
import { startCase } from '../support/start-case.js';

const LINE = /^9 of 10 requests took at most: \/order .+, \/customer .+, \/offers .+$/m;
const CLASS = { url: 'http://127.0.0.1:1/join/ABC234', learner: 'one', name: 'Ada', unsent: [] };

/** The folder of a learner who has joined a class that is out of reach. */
async function joinNowhere() {
  const folder = await scratchFolder();
  await writeFile(path.join(folder, 'workshop.json'), JSON.stringify({ lessons: {}, class: CLASS }));
  return folder;
}

test('a class gets the same cause; a saved file starts the shop again, also one that has an error', async () => {
  const [ada, ben, cleo] = [
    await startCase(await joinNowhere(), 3),
    await startCase(await joinNowhere(), 3),
    await startCase(await joinNowhere(), 3),
  ];
  const intro = await ada.hear(LINE);
  expect(intro).toMatch(/npx pool-lab attach \d+\n/);
  expect(intro).toContain('npx pool-lab workshop verify case-3 --cause NAME --route ROUTE\n');
  const wide = intro.split('\n').filter((line) => line.length > 80 && !line.includes(ada.shop));
  expect(wide).toEqual([]);
  await Promise.all([ben.hear(LINE), cleo.hear(LINE)]);
  const causes = await Promise.all([ada, ben, cleo].map(({ readCause }) => readCause()));
  expect(new Set(causes).size).toBe(1);
  expect(intro).toContain(causes[0]);
  expect(await Promise.all([ben.stop(), cleo.stop()])).toEqual([130, 130]);

  await writeFile(ada.shop, 'export const routes = ;');
  await ada.hear(/The file has changed.+SyntaxError/s);
  await copyFile('lessons/cases/shop.mjs', ada.shop);
  await ada.hear(new RegExp(`The file has changed.+${LINE.source}`, 'ms'));
  expect(await ada.stop()).toBe(130);
}, 180_000);
