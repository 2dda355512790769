// A closed loop of requests to argv[2] on argv[3] connections. Replies to each message with what was answered since the last one.
// Ends with its parent process. It writes its requests as text: a library takes so much of the other core, on which the database
// runs too, that the app would wait for them.
import net from 'node:net';
import { quantile } from 'mongodb-pool-predictor';
import { onParentGone } from '../../src/process/parent.js';

const END_OF_HEAD = '\r\n\r\n';

const { hostname, port, pathname } = new URL(process.argv[2]);
const request = Buffer.from(`GET ${pathname} HTTP/1.1\r\nHost: ${hostname}${END_OF_HEAD}`);
/** @type {number[]} */
let latenciesMs = [];
let failed = 0;

for (let count = 0; count < Number(process.argv[3]); count += 1) open();
onParentGone(() => process.exit());
process.on('message', () => {
  process.send?.({ failed, p99Ms: latenciesMs.length > 0 ? quantile(latenciesMs, 0.99) : NaN });
  latenciesMs = [];
});
process.send?.({});

function open() {
  const socket = net.connect(Number(port), hostname);
  let sentAtMs = 0;
  /** Of the answer, so far. */
  let text = '';
  const send = () => {
    text = '';
    sentAtMs = performance.now();
    socket.write(request);
  };
  socket.setNoDelay(true).setEncoding('latin1').on('connect', send).on('close', () => { failed += 1; }).on('error', () => {});
  socket.on('data', (chunk) => {
    text += chunk;
    const head = text.indexOf(END_OF_HEAD);
    if (head < 0 || text.length - head - END_OF_HEAD.length < Number(/content-length: (\d+)/i.exec(text)?.[1])) return;
    if (!text.startsWith('HTTP/1.1 200')) failed += 1;
    latenciesMs.push(performance.now() - sentAtMs);
    send();
  });
}
