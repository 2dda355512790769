// For `node --import mongodb-pool-monitor/attach app.js`, or the same in NODE_OPTIONS.
import { readAttachSettings } from './attach-settings.js';
import { findWatch, watchProcess } from './watched-process.js';

try {
  if (!findWatch()) watchProcess(readAttachSettings(process.env));
} catch (error) {
  // The app runs all the same.
  process.stderr.write(`mongodb-pool-monitor: ${error instanceof Error ? error.message : error}. Nothing is watched\n`);
}
