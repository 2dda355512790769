import closeWithGrace from 'close-with-grace';
import { createLogger } from './logger.js';
import { toPrintable } from './printable.js';
import { renderSettingsHelp } from './settings-docs.js';
import { readSettings } from './settings.js';
import { start } from './start.js';

const HELP = `npm start: the demo app, an Express server with one shared MongoClient

Routes: / /slow /fast /pool /pool/checkouts /pool/events /metrics /livez /readyz
Settings, from the environment or from a file .env (the environment wins):
${renderSettingsHelp()}
`;

/** @param {unknown} error */
function fail(error) {
  process.stderr.write(`${toPrintable(error instanceof Error ? error.message : String(error))}\n`);
  process.exitCode = 1;
}

/** @param {import('./settings.js').Settings} settings */
async function run(settings) {
  const log = createLogger(settings.logLevel);
  /** @type {(() => unknown)[]} */
  const closers = [];
  const stopping = new AbortController();
  const closeAll = async () => {
    while (closers.length > 0) await closers.pop()?.();
  };
  const { close, uninstall } = closeWithGrace({ delay: settings.shutdownTimeoutMs }, async ({ err }) => {
    if (err) fail(err);
    log.info('closing: what runs is finished first');
    stopping.abort();
    await closeAll();
  });
  // A parent process that started the app asks it to stop by letting go of it, and so does one that dies. Once is
  // enough: a second `close` would find nothing left to wait for and exit.
  process.once('disconnect', () => {
    if (!stopping.signal.aborted) close();
  });
  try {
    const url = await start(settings, { log, closers, signal: stopping.signal });
    process.send?.({ url });
  } catch (error) {
    if (stopping.signal.aborted) return;
    fail(error);
    stopping.abort();
    uninstall();
    await closeAll();
    process.disconnect?.();
  }
}

if (process.argv.includes('--help')) {
  process.stdout.write(HELP);
} else {
  try {
    await run(readSettings());
  } catch (error) {
    fail(error);
  }
}
