// A closed loop of requests to argv[2] on argv[3] connections. It begins at 'go', keeps the latencies from 'count' on,
// and ends at 'pause': then it replies when the last answer has come. At 'p99' it tells that of the latencies since the
// last time. It ends with its parent process, or when the app fails. It writes its requests as text: a library takes so
// much of the other core, on which the database runs too, that the app would wait for them.
import { once } from 'node:events';
import net from 'node:net';
import { quantile } from 'mongodb-pool-predictor';
import { onParentGone } from '../../src/process/parent.js';

const END_OF_HEAD = '\r\n\r\n';

const { hostname, port, pathname } = new URL(process.argv[2]);
const request = Buffer.from(`GET ${pathname} HTTP/1.1\r\nHost: ${hostname}${END_OF_HEAD}`);
/** @type {number[]} */
let latenciesMs = [];
let waiting = 0;
let isOn = false;
let isCounting = false;
const reply = (/** @type {number | null} */ figure = null) => void process.send?.(figure);

const sends = await Promise.all(Array.from({ length: Number(process.argv[3]) }, open));
onParentGone(() => process.exit());
process.on('message', (message) => {
  if (message === 'p99') {
    reply(latenciesMs.length > 0 ? quantile(latenciesMs, 0.99) : null);
    latenciesMs = [];
    return;
  }
  isOn = message !== 'pause';
  isCounting = message === 'count';
  if (message === 'go') for (const send of sends) send();
  if (isOn || waiting === 0) reply();
});
reply();

/** @returns {Promise<() => void>} what sends a request on a connection of its own */
async function open() {
  const socket = net.connect(Number(port), hostname);
  let sentAtMs = 0;
  /** The part of the answer that has arrived. */
  let text = '';
  const send = () => {
    text = '';
    waiting += 1;
    sentAtMs = performance.now();
    socket.write(request);
  };
  socket
    .setNoDelay(true)
    .setEncoding('latin1')
    .on('close', () => {
      throw new Error(`${process.argv[2]} has closed a connection`);
    });
  socket.on('data', (chunk) => {
    text += chunk;
    const head = text.indexOf(END_OF_HEAD);
    if (head < 0 || text.length - head - END_OF_HEAD.length < Number(/content-length: (\d+)/i.exec(text)?.[1])) return;
    if (!text.startsWith('HTTP/1.1 200')) throw new Error(`${process.argv[2]} has answered ${text.slice(0, head)}`);
    if (isCounting) latenciesMs.push(performance.now() - sentAtMs);
    waiting -= 1;
    if (isOn) send();
    else if (waiting === 0) reply();
  });
  await once(socket, 'connect');
  return send;
}
