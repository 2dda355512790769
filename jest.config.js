// The quick tier: nothing in it depends on how fast the machine is. CONTRIBUTING.md has the rules of all three tiers.
export default {
  testEnvironment: 'node',
  // jest.long.config.js and jest.release.config.js have the others.
  testMatch: ['<rootDir>/{test,lab/test,packages/*/test}/**/!(*.long|*.release).test.js'],
  testSequencer: '<rootDir>/test/support/longest-first.js',
  transform: {},
  globalSetup: '<rootDir>/test/support/start-mongo.js',
  globalTeardown: '<rootDir>/packages/test-support/stop-shared-mongo.js',
  // For what hangs. Tests talk to real processes, and on a busy machine six times longer than alone is not unusual.
  testTimeout: 120_000,
  // Twice the cores of a small machine: many tests wait for processes, and leave the processor to others.
  maxWorkers: 4,
};
