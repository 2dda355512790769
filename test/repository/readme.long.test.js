// What README.md tells people to type to size the pool of their own app, in its order and as it stands, with the words
// that it shows. Only the ports are free ones. readme.release.test.js has what takes minutes, such as the sweep.
import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { findFreePort } from 'test-support/processes.js';
import { until } from 'test-support/waiting.js';
import { readJourney, shapeOf } from '../support/readme-journey.js';
import { createWorkbench } from '../../lab/test/support/workbench.js';

const { watch, load, record, doctor, advise } = readJourney(await readFile('README.md', 'utf8'));

/** One size may do for both. */
const ADVICE = /^\d+ connections(?:: \d+)? meet \/fast p95 < 100 ms at the recorded load/;

test('watch shows a queue, doctor says why, and advise finds a larger pool', async () => {
  const [port, pagePort] = [await findFreePort(), await findFreePort()];
  const withPorts = (/** @type {string} */ text) =>
    text.replace('PORT=3000', `PORT=${port}`).replace(/\b9000\b/, String(pagePort));
  const bench = await createWorkbench({});

  const watching = bench.start(withPorts(watch.command));
  await watching.says(withPorts(watch.shows));
  const readPool = async () => {
    const answer = await fetch(`http://127.0.0.1:${pagePort}/pool`);
    return answer.ok ? answer.json() : undefined;
  };
  expect(await until('the app has a client', readPool)).toMatchObject({ max: 2 });
  // The load test finds port 3000 by itself.
  const sending = bench.start(`PORT=${port} ${load.command}`);
  await until('requests wait', async () => (await readPool()).waiting > 0);

  expect(await bench.run(withPorts(record.command))).toMatchObject({
    code: 0,
    said: expect.stringMatching(/Recorded \d{2,} checkouts/),
  });
  sending.interrupt();
  watching.interrupt();
  expect(await watching.ended).toMatchObject({ code: 130 });
  await sending.ended;

  const asked = await bench.run(doctor.command);
  expect({ code: asked.code, shape: shapeOf(asked.said) }).toEqual({
    code: 2,
    shape: expect.stringContaining(shapeOf(doctor.shows)),
  });
  const advised = await bench.run(advise.command);
  expect(advise.shows).toMatch(ADVICE);
  expect(advised).toMatchObject({ code: 0, said: expect.stringMatching(ADVICE) });
  expect(Number(/^\d+/.exec(advised.said)?.[0])).toBeGreaterThan(2);
});
