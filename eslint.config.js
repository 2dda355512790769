import js from '@eslint/js';
import globals from 'globals';

export default [
  { ignores: ['results/', 'coverage/'] },
  js.configs.recommended,
  {
    languageOptions: { globals: globals.node },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      eqeqeq: 'error',
      'no-console': 'error',
      'no-var': 'error',
      'object-shorthand': 'error',
      'prefer-const': 'error',
      'prefer-template': 'error',
      'no-restricted-syntax': ['error', {
        selector: 'ExportDefaultDeclaration',
        message: 'Named exports only.',
      }],
    },
  },
  {
    // One reader of the environment keeps settings, --help and documents in step.
    files: ['src/**'],
    ignores: ['src/settings.js'],
    rules: {
      'no-restricted-properties': ['error', {
        object: 'process', property: 'env', message: 'Read settings through src/settings.js.',
      }],
    },
  },
  { files: ['src/**/browser/**', 'src/dashboard/**'], languageOptions: { globals: globals.browser } },
  { files: ['*.config.js'], rules: { 'no-restricted-syntax': 'off' } },
];
