import { once } from 'node:events';
import http from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkAtRest, watchGauges } from './gauges.js';
import { measureRecovery, measureUnloaded, planLoad, sendLoad, settle } from './measure.js';
import { withApp } from './stage.js';

const MANY = 10_000;
const MANY_IN_SHORT = 1000;
/** Connecting faster than the app accepts would overflow the kernel's queue, which is no fault of either. */
const AT_ONCE = 100;
const LIMIT_MS = 3000;
/** Of a process as it runs, without any client. */
const SPARE_DESCRIPTORS = 10;
/** After their clients have gone, and the page's sampling and the driver's watching do what they do. */
const WITHIN_MS = 15_000;

/** What bad clients send, and how a connection of theirs has to be answered: with such a status, or not at all. */
const BAD = [
  ['headers of 64 KB', `GET /fast HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(65_536)}\r\n\r\n`, [431]],
  ['a body of 1 MB for /fast', withBody('GET /fast', 2 ** 20), [200, 503]],
  ['a body of 1 MB for a control', withBody('POST /control/traffic', 2 ** 20, 'application/json'), [403, 413]],
  ['pipelined garbage', `${'GET /livez HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(50)}${'\0\xff\r\n'.repeat(1000)}`, [200]],
  ['a request line of 64 KB', `GET /${'x'.repeat(65_536)} HTTP/1.1\r\nHost: a\r\n\r\n`, [431]],
  ['TLS', '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03', [400]],
];

function withBody(line, length, type = 'text/plain') {
  return `${line} HTTP/1.1\r\nHost: a\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n${'x'.repeat(length)}`;
}

/** Clients that leave, stall, come by the thousands or send what they should not. */
export function runClients({ isShort, report }) {
  const settings = { MONGO_POOLSIZE: '5', SLOW_MS: '60000', REQUEST_TIMEOUT_MS: '120000' };
  return withApp(settings, async ({ app, admins }) => {
    for (const [name, misbehave] of [
      ['clients leave /slow in the middle', leave],
      [`${isShort ? MANY_IN_SHORT : MANY} connections that say nothing`, (options) => hold({ ...options, text: '' })],
      ['connections stall in their headers', (options) => (
        hold({ ...options, most: MANY_IN_SHORT, text: 'GET /fast HTTP/1.1\r\nHost:' }))],
      ['readers that do not read', (options) => hold({ ...options, most: 200, text: 'GET /pool/events HTTP/1.1\r\nHost: a\r\n\r\n' })],
      ...BAD.map(([what, text, statuses]) => [what, (options) => sendBad({ ...options, text, statuses })]),
    ]) {
      const unloadedMs = await measureUnloaded(app.url);
      const { descriptors: before } = await app.readProcess();
      const stopWatching = watchGauges(app);
      const { load, sent, answered = 0, refused = 0, problems, note } = await misbehave(
        { app, most: isShort ? MANY_IN_SHORT : MANY });
      const recoveryMs = await measureRecovery(app.url, unloadedMs);
      problems.push(...(await stopWatching()).problems, ...load.problems, ...await checkAtRest(app, admins));
      problems.push(...await settle(WITHIN_MS, async () => {
        const { descriptors } = await app.readProcess();
        return descriptors > before + SPARE_DESCRIPTORS ? `${descriptors} descriptors, ${before} before` : '';
      }));
      if (recoveryMs > 5000) problems.push('not back within 5000 ms');
      report({
        name, sent: sent + load.sent, answered: answered + load.answered, refused: refused + load.refused, problems,
        recoveryMs, note,
      });
    }
  });
}

const sendOthers = (app, seconds = 2) => (
  sendLoad(planLoad({ '/fast': 20, '/livez': 5 }, seconds), { url: app.url, limitMs: LIMIT_MS }));

/** Many take all connections and stand in the queue, and then all go away; those who come later are served. */
async function leave({ app }) {
  const requests = Array.from({ length: 100 }, () => http.get(`${app.url}/slow`, { agent: false }));
  for (const request of requests) request.on('error', () => {});
  const problems = await settle(5000, async () => {
    const { active, waiting } = await app.readPool();
    return active === 5 && waiting === 95 ? '' : `${active} at work and ${waiting} waiting, of 100`;
  });
  const leftAt = performance.now();
  for (const request of requests) request.destroy();
  problems.push(...await settle(1000, async () => {
    const { active, waiting } = await app.readPool();
    return active + waiting === 0 ? '' : `${active} at work and ${waiting} waiting, after all have left`;
  }));
  const note = `all connections free ${Math.round(performance.now() - leftAt)} ms later`;
  return { load: await sendOthers(app), sent: 100, refused: 100, problems, note };
}

/** Connections that are kept open without a whole request, or without reading. */
async function hold({ app, most, text }) {
  const sockets = [];
  const problems = [];
  const { port } = new URL(app.url);
  for (let opened = 0; opened < most; opened += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, async () => {
      const socket = connect(Number(port), '127.0.0.1');
      socket.on('error', () => {});
      sockets.push(socket);
      await once(socket, 'connect').catch(({ code }) => problems.push(`a connection was refused: ${code}`));
      socket.pause();
      socket.write(text);
    }));
  }
  // The kernel takes them in before the app does.
  problems.push(...await settle(WITHIN_MS, async () => {
    const { descriptors = Infinity } = await app.readProcess();
    return descriptors < most ? `only ${descriptors} of ${most} connections were accepted` : '';
  }));
  const { descriptors, rssMB } = await app.readProcess();
  const load = await sendOthers(app);
  for (const socket of sockets) socket.destroy();
  return { load, sent: 0, problems, note: descriptors && `the app had ${descriptors} descriptors and ${Math.round(rssMB)} MB` };
}

/** 50 times what no client should send, while others are served. */
async function sendBad({ app, text, statuses }) {
  const loading = sendOthers(app);
  const { port } = new URL(app.url);
  const problems = [];
  let refused = 0;
  for (let count = 0; count < 50; count += 1) {
    const socket = connect(Number(port), '127.0.0.1');
    socket.on('error', () => {});
    const answer = once(socket, 'data').then(([data]) => Number(String(data).split(' ')[1]), () => 0);
    socket.write(text, 'latin1');
    const status = await Promise.race([answer, once(socket, 'close').then(() => 0, () => 0), sleep(LIMIT_MS, -1)]);
    socket.destroy();
    if (status === -1) problems.push('no answer, and the connection stays open');
    else if (status !== 0 && !statuses.includes(status)) problems.push(`answered with ${status}`);
    else refused += 1;
  }
  return { load: await loading, sent: 50, refused, problems };
}
