import js from '@eslint/js';
import globals from 'globals';
import { walls } from './scripts/lint/walls.js';

export default [
  { ignores: ['results/', 'coverage/', 'dist/'] },
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
  {
    files: ['src/**', 'packages/*/{src,page,universal}/**'],
    plugins: { house: { rules: { walls } } },
    rules: { 'house/walls': 'error' },
  },
  {
    // What may run in a browser has no Node under it.
    files: [
      'src/**/browser/**', 'playground/browser/**', 'packages/pool-monitor/{page,universal}/**', 'packages/pool-predictor/src/**',
    ],
    ignores: ['packages/pool-predictor/src/node/**'],
    languageOptions: { globals: globals['shared-node-browser'] },
    rules: {
      'no-restricted-imports': ['error', { patterns: [{ regex: '^node:', message: 'This may run in a browser.' }] }],
    },
  },
  {
    files: ['src/**/browser/**', 'playground/browser/**', 'packages/pool-monitor/page/**'],
    languageOptions: { globals: globals.browser },
  },
  { files: ['packages/pool-predictor/src/prediction-worker.js'], languageOptions: { globals: globals.worker } },
  { files: ['*.config.js'], rules: { 'no-restricted-syntax': 'off' } },
];
