import closeWithGrace from 'close-with-grace';
import { surviveBrokenOutput } from './base/broken-output.js';
import { createLogger } from './base/logger.js';
import { toPrintable } from './base/printable.js';
import { hintAtFileLimit } from './process/open-files.js';
import { onParentGone } from './process/parent.js';
import { renderSettingsHelp } from './base/settings-docs.js';
import { readSettings } from './settings.js';
import { start } from './start.js';

const HELP = `npm start: the demo app, an Express server with one shared MongoClient

Routes: / /slow /fast /pool /pool/checkouts /pool/server /pool/events /metrics /livez /readyz
Settings, from the environment or from a file .env (the environment wins):
${renderSettingsHelp()}
`;

/** @param {unknown} error */
function fail(error) {
  const hint = hintAtFileLimit(error);
  const message = toPrintable(error instanceof Error ? error.message : String(error));
  process.stderr.write(`${message}${hint && `\n(${hint})`}\n`);
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
    log.info('shutting down: finishing requests in flight');
    stopping.abort();
    await closeAll();
  });
  /** @param {unknown} error */
  const giveUp = async (error) => {
    fail(error);
    stopping.abort();
    uninstall();
    setTimeout(() => process.exit(), settings.shutdownTimeoutMs).unref();
    await closeAll();
    if (process.connected) process.disconnect();
  };
  // A parent process stops the app by disconnecting, and disconnects if it dies. A second `close` would exit at once,
  // so we call it only once.
  const end = () => {
    if (!stopping.signal.aborted) close();
  };
  onParentGone(end);
  try {
    const url = await start(settings, {
      log,
      closers,
      signal: stopping.signal,
      // A new mongod would have none of the data, and without one the app would answer 503 forever.
      onMongoDeath(error) {
        if (!stopping.signal.aborted) giveUp(new Error(`${error.message}. Its data is lost, so the app stops`));
      },
    });
    if (process.connected) process.send?.({ url });
  } catch (error) {
    if (!stopping.signal.aborted) await giveUp(error);
  }
}

surviveBrokenOutput();
if (process.argv.includes('--help')) {
  process.stdout.write(HELP);
} else {
  try {
    await run(readSettings());
  } catch (error) {
    fail(error);
  }
}
