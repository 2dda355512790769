import config from './jest.config.js';

// Real processes, signals, Artillery, browsers and faults. They wait for events, and are right on a busy machine.
export default {
  ...config,
  testMatch: ['<rootDir>/{test,lab/test,packages/*/test}/**/*.long.test.js'],
  // They keep the processor busy themselves.
  maxWorkers: 3,
  // Of the tests of one file that may run at once.
  maxConcurrency: 3,
};
