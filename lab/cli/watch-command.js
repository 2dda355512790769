import { startEmbeddedMongo } from '../../src/mongo/embedded.js';
import { readSettings } from '../../src/settings.js';
import { runUntilSignal } from './signals.js';
import { WATCHING, watchApp } from './watch-app.js';

/** @import { CommandData } from './add-command.js' */

/** @type {CommandData} */
export const command = {
  ...WATCHING,
  options: [...WATCHING.options, 'mongo'],
  example: '--port 9000 --mongo embedded -- node examples/article-app.js',
  run: (words, { mongo, ...options }) =>
    watchApp(words, { ...options, tool: 'pool-lab', startMongo: mongo ? startMongo : undefined }),
};

/** @param {(line: string) => void} report */
async function startMongo(report) {
  const mongo = await runUntilSignal(
    (signal) => startEmbeddedMongo({ ...readSettings(), report, signal }),
    'Interrupted before the app was started.',
  );
  mongo.died.then(({ message }) => report(message));
  return mongo;
}
