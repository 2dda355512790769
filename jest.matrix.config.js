import config from './jest.long.config.js';

// The attached monitor with each version of Node.js, the driver and mongoose. It installs them, and takes minutes.
export default { ...config, testMatch: ['<rootDir>/packages/*/test/**/*.matrix.test.js'], maxWorkers: 1 };
