import { testCopies, testLines } from './half-open-lines.js';

// half-open.release.test.js has the other ends of these lines.
testLines([
  ['source', 'swallows everything'],
  ['source', 'takes nothing'],
]);
testCopies(['target']);
