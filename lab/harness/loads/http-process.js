// The process of http.js: argv[2] is the load. It sends its figures and ends when its parent disconnects.
import autocannon from 'autocannon';
import { onParentGone } from '../../../src/process/parent.js';
import { LoadWindow } from './load-window.js';

/** Time for autocannon to give up requests that get no answer, which takes it 10 s. */
const GRACE_MS = 15_000;
/** How often autocannon checks whether it must stop. */
const CHECK_MS = 50;

/** @type {import('./http.js').HttpLoad} */
const { url, connections, warmUpMs, durationMs } = JSON.parse(process.argv[2]);
// autocannon's own warm-up does not keep its connections.
const tool = autocannon({ url, connections, duration: (warmUpMs + durationMs + GRACE_MS) / 1000, sampleInt: CHECK_MS });
const loadWindow = new LoadWindow({ connections, warmUpMs, durationMs, onEnd: tool.stop });
tool.on('response', ({ conn }, status, bytes, ms) => loadWindow.answer(conn, status, ms));
tool.on('reqError', (error) => loadWindow.fail(error));
onParentGone(tool.stop);
process.send?.(loadWindow.measure(await tool));
