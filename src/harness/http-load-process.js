// The process of http-load.js: argv[2] is its load; it sends what it measured, and ends when its parent lets go of it.
import autocannon from 'autocannon';
import { createLoadWindow } from './load-window.js';

/** Time to tell of requests that are never answered, which the tool gives up after 10 s. */
const GRACE_MS = 15_000;
/** How often the tool looks whether it has to stop. */
const LOOK_MS = 50;

/** @type {import('./http-load.js').HttpLoad} */
const { url, connections, warmUpMs, durationMs } = JSON.parse(process.argv[2]);
// Its own warm-up is a run before the run, on connections that are not kept.
const tool = autocannon({ url, connections, duration: (warmUpMs + durationMs + GRACE_MS) / 1000, sampleInt: LOOK_MS });
const loadWindow = createLoadWindow({ connections, warmUpMs, durationMs, onEnd: tool.stop });
tool.on('response', ({ conn }, status, bytes, ms) => loadWindow.answer(conn, status, ms));
tool.on('reqError', loadWindow.fail);
process.once('disconnect', tool.stop);
process.send?.(loadWindow.measure(await tool));
