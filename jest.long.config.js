import config from './jest.config.js';

export default { ...config, testMatch: ['<rootDir>/test/**/*.long.test.js'] };
