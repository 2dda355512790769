export default {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/test/**/*.test.js'],
  transform: {},
  globalSetup: '<rootDir>/test/support/start-mongo.js',
  globalTeardown: '<rootDir>/test/support/stop-mongo.js',
  // Every test talks to real processes: a start of mongod or of the app takes up to seconds on a busy laptop.
  testTimeout: 30_000,
  // Many tests wait for real processes, and leave the processor to another.
  maxWorkers: 3,
};
