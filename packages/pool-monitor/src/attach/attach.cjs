// For `node --require mongodb-pool-monitor/attach app.js`, or the same in NODE_OPTIONS. Prefer that to --import, with which
// Node.js 20 loads the app's first file as an ES module, and so past what --require installs, such as ts-node/register.
'use strict';

const { isInternalThread } = /** @type {any} */ (require('node:worker_threads'));

const NEEDS = 'It needs Node.js 20.19, 22.12 or later, without --no-experimental-require-module';
const { emitWarning } = process;
try {
  // Node.js 20 and 22 warn that to load ES modules like this is experimental.
  process.emitWarning = () => {};
  // In the thread that runs the hooks of module loaders, there is nothing of the app.
  if (!isInternalThread) watch();
} catch (error) {
  const { code, message = error } = Object(error);
  const problem = code === 'ERR_REQUIRE_ESM' ? `Node.js ${process.version} can't load it. ${NEEDS}` : message;
  process.stderr.write(`mongodb-pool-monitor: ${problem}. Nothing is watched\n`);
} finally {
  process.emitWarning = emitWarning;
}

/** Loads the monitor here, so that an error while loading does not stop the app either. */
function watch() {
  const { readAttachSettings } = require('./attach-settings.js');
  const { findWatch, watchProcess } = require('./watched-process.js');
  const { loadPage } = require('./load-page.js');
  if (!findWatch()) watchProcess(readAttachSettings(process.env), { page: loadPage() });
}
