import config from './jest.long.config.js';

// The attached monitor with each version of Node.js, the driver and mongoose. It installs them, and takes minutes. Also
// what needs the machine to itself: one file runs after the other.
export default { ...config, testMatch: ['<rootDir>/{test,packages/*/test}/**/*.matrix.test.js'], maxWorkers: 1 };
