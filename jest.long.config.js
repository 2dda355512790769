import config from './jest.config.js';

export default {
  ...config,
  testMatch: ['<rootDir>/{test,packages/*/test}/**/*.long.test.js'],
  // They keep the processor busy themselves.
  maxWorkers: 2,
};
