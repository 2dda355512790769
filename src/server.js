import { reasonOf } from './base/files.js';
import { hintAtFileLimit } from './process/open-files.js';

// Loaded here, because a file that can't be read would end the app with Node's stack.
try {
  await import('./run-app.js');
} catch (error) {
  const hint = hintAtFileLimit(error);
  if (!hint) throw error;
  process.stderr.write(`The app can't be loaded: ${reasonOf(error)}. ${hint}\n`);
  process.exitCode = 1;
}
