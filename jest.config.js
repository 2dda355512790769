export default {
  testEnvironment: 'node',
  // Tests that are slow by nature have runs of their own: jest.long.config.js and jest.matrix.config.js.
  testMatch: ['<rootDir>/{test,lab/test,packages/*/test}/**/!(*.long|*.matrix).test.js'],
  testSequencer: '<rootDir>/test/support/longest-first.js',
  transform: {},
  globalSetup: '<rootDir>/test/support/start-mongo.js',
  globalTeardown: '<rootDir>/packages/test-support/stop-shared-mongo.js',
  // For what hangs. Tests talk to real processes, and on a busy machine six times longer than alone is not unusual.
  testTimeout: 120_000,
  // Twice the cores of a small machine: many tests wait for processes, and leave the processor to others.
  maxWorkers: 4,
};
