import { testCopies, testLines } from './half-open-lines.js';

testLines([
  ['target', 'swallows everything'],
  ['target', 'takes nothing'],
]);
testCopies(['source']);
