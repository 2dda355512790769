import { fileURLToPath } from 'node:url';

/** @param {string} name */
const fileOf = (name) => fileURLToPath(new URL(name, import.meta.url));

/**
 * Runs the quick tests of one package, without the rest of the repository:
 * `npm test -- --config packages/test-support/jest.config.js --rootDir packages/gather`
 */
export default {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/test/**/!(*.long|*.release).test.js'],
  transform: {},
  globalSetup: fileOf('start-shared-mongo.js'),
  globalTeardown: fileOf('stop-shared-mongo.js'),
  testTimeout: 120_000,
};
