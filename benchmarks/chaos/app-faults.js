import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { requestOnce } from '../../lab/harness/loads/request-once.js';
import { checkAtRest, watchGauges } from './gauge-checks.js';
import {
  MAX_RECOVERY_MS,
  measureRecovery,
  measureUnloaded,
  findLastingProblem,
  planLoad,
  sendLoad,
} from './recovery.js';
import { withApp } from './test-bed.js';

/** @import { Options } from './test-bed.js' */

const POOL_SIZE = 2;
const SLOW_MS = 100;
const CAPACITY_PER_SEC = (POOL_SIZE * 1000) / SLOW_MS;
const MAX_REQUESTS = 50;
const TIMEOUT_MS = 5000;
const MAX_LIVEZ_MS = 1000;
/** Between the first and second half: the memory that the first seconds take stays in use. */
const MAX_GROWTH_MB = 20;

/** Requests sent before SIGTERM. The /fast ones that get a connection at once have finished by then. */
const ACCEPTED = 60;
const MIN_IN_FLIGHT = 40;
const LATE = 50;

/**
 * Sends ten times what the pool can serve. The concurrency limit must limit the wait queue and the memory.
 * @param {Options} options
 */
export function runOverload({ isShort, report }) {
  const settings = {
    MONGO_POOLSIZE: String(POOL_SIZE),
    SLOW_MS: String(SLOW_MS),
    MAX_REQUESTS: String(MAX_REQUESTS),
    REQUEST_TIMEOUT_MS: String(TIMEOUT_MS),
  };
  return withApp(settings, async ({ app, admins }) => {
    const unloadedMs = await measureUnloaded(app.url, isShort);
    const load = { '/slow': 10 * CAPACITY_PER_SEC, '/livez': 5 };
    const stopWatching = watchGauges(app);
    const { problems, maxLivezMs, ...counts } = await sendLoad(planLoad(load, isShort ? 3 : 60), {
      url: app.url,
      timeoutMs: TIMEOUT_MS + 1000,
    });
    const recoveryMs = await measureRecovery(app.url, unloadedMs);
    const { rssMB, maxRequests, ...watched } = await stopWatching();
    if (maxLivezMs > MAX_LIVEZ_MS) problems.push(`/livez took ${Math.round(maxLivezMs)} ms`);
    if (maxRequests > MAX_REQUESTS) problems.push(`${maxRequests} requests in flight`);
    const half = rssMB.length / 2;
    const [firstMB, secondMB] = [rssMB.slice(0, half), rssMB.slice(half)].map((part) => Math.max(...part));
    if (!isShort && secondMB - firstMB > MAX_GROWTH_MB)
      problems.push(`memory grew by ${Math.round(secondMB - firstMB)} MB`);
    if (recoveryMs > MAX_RECOVERY_MS) problems.push(`no recovery within ${MAX_RECOVERY_MS} ms`);
    problems.push(...watched.problems, ...(await checkAtRest(app, admins)));
    const memory =
      rssMB.length > 0
        ? `; max RSS ${Math.round(firstMB)} MB in the first half, ${Math.round(secondMB)} MB in the second`
        : '';
    report({
      name: 'load of 10 times the capacity',
      ...counts,
      problems,
      recoveryMs,
      note: `at most ${maxRequests} requests in flight${memory}`,
    });
  });
}

/** Sends SIGTERM under load. Accepted requests must be answered, later ones refused. @param {Options} options */
export function runShutdown({ report }) {
  return withApp({ MONGO_POOLSIZE: '10', SLOW_MS: '1000' }, async ({ app }) => {
    /** @param {string} route */
    const send = (route) =>
      requestOnce(new URL(route, app.url)).then(
        ({ status }) => status,
        () => 0,
      );
    const accepted = Array.from({ length: ACCEPTED }, (_, index) => send(index % 3 === 0 ? '/fast' : '/slow'));
    const problems = await findLastingProblem(5000, async () =>
      (await app.readPool()).requests.running >= MIN_IN_FLIGHT
        ? ''
        : `fewer than ${MIN_IN_FLIGHT} requests in flight at SIGTERM`,
    );
    // A client that sends nothing and one that reads nothing: neither may delay the shutdown.
    const port = Number(new URL(app.url).port);
    const stalled = ['', 'GET /pool/events HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(500)].map((text) => {
      const socket = connect(port, '127.0.0.1')
        .on('error', () => {})
        .pause();
      socket.write(text);
      return socket;
    });
    await sleep(1000);
    app.kill('SIGTERM');
    const signalledAtMs = performance.now();
    const late = [];
    for (; late.length < LATE; await sleep(10)) late.push(send('/fast'));
    const statuses = await Promise.all(accepted);
    const answered = statuses.filter((status) => status === 200).length;
    const answeredLate = (await Promise.all(late)).filter((status) => status === 200).length;
    const code = await app.exited;
    for (const socket of stalled) socket.destroy();
    problems.push(
      ...statuses
        .filter((status) => status !== 200)
        .map((status) => `an accepted request got ${status || 'no answer'}`),
    );
    if (code !== 0) problems.push(`exit code ${code}`);
    report({
      name: 'SIGTERM under load',
      sent: ACCEPTED + LATE,
      answered: answered + answeredLate,
      refused: LATE - answeredLate,
      problems,
      note: `exited ${Math.round(performance.now() - signalledAtMs)} ms after SIGTERM with code ${code}`,
    });
  });
}
