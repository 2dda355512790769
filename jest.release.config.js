import config from './jest.long.config.js';

// What is judged by statistics, takes minutes, installs versions of libraries, or needs the machine to itself. One file
// runs after the other. Never in the gate.
export default {
  ...config,
  testMatch: ['<rootDir>/{test,lab/test,packages/*/test}/**/*.release.test.js'],
  maxWorkers: 1,
};
