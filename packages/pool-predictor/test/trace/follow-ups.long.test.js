import { test } from '@jest/globals';
import { checkClosed, checkOpen, CLOSED, OPEN } from './follow-up-cases.js';

test.each(OPEN)('$gap gaps, $service times, utilisation $utilisation: replayed as they came', checkOpen);

test.each(CLOSED)('callers, $name, recorded at $poolSize: found, and predicted at other sizes', checkClosed);
