import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { askOnce } from '../../src/bench/ask-once.js';
import { checkAtRest, watchGauges } from './gauges.js';
import { measureRecovery, measureUnloaded, planLoad, sendLoad, settle } from './measure.js';
import { withApp } from './stage.js';

const POOL_SIZE = 2;
const SLOW_MS = 100;
const CAPACITY_PER_SEC = POOL_SIZE * 1000 / SLOW_MS;
const MAX_REQUESTS = 50;
const TIMEOUT_MS = 5000;
const MOST_RECOVERY_MS = 5000;
/** From the first half to the second: what the first seconds take is for good. */
const MOST_GROWTH_MB = 20;

/** Sent before the signal; the /fast ones that find a connection at once are over when it comes. */
const ACCEPTED = 60;
const UNDER_WAY = 40;
const LATE = 50;

/** Ten times what the pool can serve: the queue is bounded, and so is memory. */
export function runOverload({ isShort, report }) {
  const settings = {
    MONGO_POOLSIZE: String(POOL_SIZE), SLOW_MS: String(SLOW_MS), MAX_REQUESTS: String(MAX_REQUESTS),
    REQUEST_TIMEOUT_MS: String(TIMEOUT_MS),
  };
  return withApp(settings, async ({ app, admins }) => {
    const unloadedMs = await measureUnloaded(app.url);
    const load = { '/slow': 10 * CAPACITY_PER_SEC, '/livez': 5 };
    const stopWatching = watchGauges(app);
    const { problems, livezMs, ...counts } = await sendLoad(
      planLoad(load, isShort ? 5 : 60), { url: app.url, limitMs: TIMEOUT_MS + 1000 });
    const recoveryMs = await measureRecovery(app.url, unloadedMs);
    const watched = await stopWatching();
    if (livezMs > 1000) problems.push(`/livez took ${Math.round(livezMs)} ms`);
    if (watched.mostRequests > MAX_REQUESTS) problems.push(`${watched.mostRequests} requests under way`);
    const half = watched.rssMB.length / 2;
    const [firstMB, secondMB] = [watched.rssMB.slice(0, half), watched.rssMB.slice(half)].map((part) => Math.max(...part));
    if (!isShort && secondMB - firstMB > MOST_GROWTH_MB) problems.push(`memory grew by ${Math.round(secondMB - firstMB)} MB`);
    if (recoveryMs > MOST_RECOVERY_MS) problems.push(`not back within ${MOST_RECOVERY_MS} ms`);
    problems.push(...watched.problems, ...await checkAtRest(app, admins));
    report({
      name: '10 times what it can serve', ...counts, problems, recoveryMs,
      note: `at most ${watched.mostRequests} under way; RSS at most ${Math.round(firstMB)} MB, ${Math.round(secondMB)} in the second half`,
    });
  });
}

/** Told to stop in the middle of load: what was accepted is answered, what comes later is refused. */
export function runShutdown({ report }) {
  return withApp({ MONGO_POOLSIZE: '10', SLOW_MS: '1000' }, async ({ app }) => {
    const ask = (route) => askOnce(new URL(route, app.url)).then(({ status }) => status, () => 0);
    const accepted = Array.from({ length: ACCEPTED }, (_, index) => ask(index % 3 === 0 ? '/fast' : '/slow'));
    const problems = await settle(5000, async () => (
      (await app.readPool()).requests.running >= UNDER_WAY ? '' : 'no load to be told to stop under'));
    // Neither may keep the app: one that says nothing, and one that does not read.
    const port = Number(new URL(app.url).port);
    const idlers = ['', 'GET /pool/events HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(500)].map((text) => {
      const socket = connect(port, '127.0.0.1').on('error', () => {}).pause();
      socket.write(text);
      return socket;
    });
    await sleep(1000);
    app.kill('SIGTERM');
    const toldAt = performance.now();
    const late = [];
    for (; late.length < LATE; await sleep(10)) late.push(ask('/fast'));
    const statuses = await Promise.all(accepted);
    const answered = statuses.filter((status) => status === 200).length;
    const answeredLate = (await Promise.all(late)).filter((status) => status === 200).length;
    const code = await app.ended;
    for (const socket of idlers) socket.destroy();
    problems.push(...statuses.filter((status) => status !== 200).map((status) => `accepted, and then ${status || 'cut'}`));
    if (code !== 0) problems.push(`exit code ${code}`);
    report({
      name: 'told to stop under load', sent: ACCEPTED + LATE, answered: answered + answeredLate,
      refused: LATE - answeredLate, problems,
      note: `ended ${Math.round(performance.now() - toldAt)} ms after the signal, exit code ${code}`,
    });
  });
}
