import { test } from '@jest/globals';
import { expectInterruptible } from '../support/interrupt-command.js';

/** It uses /proc to find the processes of a command. */
const onLinux = process.platform === 'linux' ? test : test.skip;

onLinux.each(['sessions', 'handles', 'inserts', 'remedies', 'saturation', 'utilisation'])(
  'a signal ends run %s and leaves nothing over, while its MongoDB starts and in its first step',
  (lab) => expectInterruptible(['run', lab]),
);
