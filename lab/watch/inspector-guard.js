// The guard process of attach-to-process.js. Once its parent has disconnected, or was killed, it closes the inspector
// of process argv[2] on port argv[3] of loopback, through which anyone on the machine could run code.
import { onParentGone } from '../../src/process/parent.js';
import { openSession, waitForDebugger } from './inspector-session.js';

/**
 * Our connection must be gone by then: Node.js 20.20 crashes in WsHandler::OnCloseFrameWritten if it closes the
 * inspector while it says goodbye to a client.
 */
const CLOSE_MS = 300;

const [pid, port] = process.argv.slice(2).map(Number);

onParentGone(async () => {
  try {
    const session = await openSession(await waitForDebugger(port, new AbortController().signal));
    const close = `setTimeout(() => inspector.close(), ${CLOSE_MS})`;
    await session.evaluate(`{ const inspector = require('node:inspector'); if (process.pid === ${pid}) ${close}; }`);
    session.close();
  } catch {
    // The process has ended, or its inspector did not open.
  }
});
