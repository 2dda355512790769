import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { scratchFolder } from 'test-support/cleanup.js';
import { until } from 'test-support/waiting.js';
import { firstWhere, joinClass, readClassEvents, spawnClass } from './serve-class.js';

/** The unit of CPU time in Linux's /proc. */
const TICKS_PER_SECOND = 100;
const onLinux = process.platform === 'linux' ? test : test.skip;

const LEARNERS = 40;
/** A busy minute of a class happens in these seconds: everybody guesses and checks, each at a time of their own. */
const SECONDS = 10;
const LESSON = '01-what-a-pool-is';

/** CPU time so far, in ms. @param {number | undefined} pid */
async function readCpuMs(pid) {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1].split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND;
}

onLinux('40 learners: each update within 1 s, under 8 % of a core', async () => {
  const folder = await scratchFolder();
  const { child, join, url } = await spawnClass(['--port', '0'], { cwd: folder, env: { POOL_LAB_DATA: folder } });
  /** When a guess was on the projector, by guess. @type {Map<number, number>} */
  const seenAt = new Map();
  (async () => {
    for await (const data of readClassEvents(`${url}/class/events`)) {
      for (const guess of data.lesson.guesses) if (!seenAt.has(guess)) seenAt.set(guess, performance.now());
    }
  })().catch(() => {});
  const learners = await Promise.all(
    Array.from({ length: LEARNERS }, (_, index) => joinClass(join, `Learner ${index}`)),
  );
  // Each has a phone on the page as well.
  const phones = learners.map(() => readClassEvents(`${join}/events`));
  await Promise.all(phones.map((phone) => phone.next()));
  phones.forEach((phone) => firstWhere(phone, () => false).catch(() => {}));

  const cpuBeforeMs = await readCpuMs(child.pid);
  const startedAt = performance.now();
  const sentAt = await Promise.all(
    learners.map(async (learner, index) => {
      await delay((index / LEARNERS) * SECONDS * 1000);
      const at = performance.now();
      expect(await learner.report({ lesson: LESSON, guess: index + 1 })).toMatchObject({ status: 200 });
      const figures = { measured: 6, points: [[2, 11_000]] };
      await learner.report({ lesson: LESSON, verdict: index % 4 > 0, figures });
      return at;
    }),
  );
  await until('all guesses are on the projector', () => seenAt.size === LEARNERS);
  const cpuShare = ((await readCpuMs(child.pid)) - cpuBeforeMs) / (performance.now() - startedAt);
  const delaysMs = sentAt.map((at, index) => Number(seenAt.get(index + 1)) - at);
  process.stderr.write(
    `40 learners: the slowest update took ${Math.max(...delaysMs).toFixed(0)} ms, ` +
      `${(100 * cpuShare).toFixed(1)} % of a core\n`,
  );
  expect(Math.max(...delaysMs)).toBeLessThan(1000);
  // 3 to 5 % alone. The same work takes more CPU time where other work shares cores and caches.
  expect(cpuShare).toBeLessThan(0.08);
});
