import js from '@eslint/js';
import globals from 'globals';
import { layers } from './scripts/lint/layers.js';

const NAMED_EXPORTS = { selector: 'ExportDefaultDeclaration', message: 'Named exports only.' };
const NO_CLOCK = {
  message: 'A quick or long test judges by order or events. What judges times is a *.release.test.js.',
};

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
      'no-restricted-syntax': ['error', NAMED_EXPORTS],
    },
  },
  {
    // Nothing in the gate depends on how fast the machine is. CONTRIBUTING.md has the tiers.
    files: ['**/*.test.js'],
    ignores: ['**/*.release.test.js'],
    rules: {
      'no-restricted-syntax': [
        'error',
        NAMED_EXPORTS,
        { selector: 'MemberExpression[object.name=/^(performance|Date)$/][property.name="now"]', ...NO_CLOCK },
        {
          selector: 'MemberExpression[object.name="process"][property.name=/^(hrtime|cpuUsage|uptime)$/]',
          ...NO_CLOCK,
        },
        {
          selector: 'CallExpression[callee.property.name=/^toBe(Less|Close)/] Identifier[name=/^(took|elapsed)Ms$/]',
          ...NO_CLOCK,
        },
      ],
    },
  },
  {
    // Prettier breaks code, but neither comments nor strings, so this rule covers them in all files.
    files: ['**/*.js', '**/*.mjs'],
    ignores: ['**/*.json', '**/*.d.ts'],
    rules: { 'max-len': ['error', { code: 120, ignoreUrls: true, ignoreRegExpLiterals: true }] },
  },
  {
    // One reader of the environment keeps settings, --help and documents in step.
    files: ['src/**', 'lab/**'],
    ignores: ['src/settings.js', 'src/process/child-environment.js', 'src/process/parent.js', 'lab/test/**'],
    rules: {
      'no-restricted-properties': [
        'error',
        {
          object: 'process',
          property: 'env',
          message: 'Read settings through src/settings.js.',
        },
      ],
    },
  },
  {
    plugins: { structure: { rules: { layers } } },
    rules: { 'structure/layers': 'error' },
  },
  {
    // These run in a folder with an installation of its own.
    files: [
      'packages/pool-{monitor,page}/test/attach/app/**',
      'benchmarks/attach-cost/apps/**',
      'benchmarks/attach-cost/tracers/**',
    ],
    rules: { 'structure/layers': 'off' },
  },
  {
    // What may run in a browser has no Node under it.
    files: [
      '{src,lab}/**/browser/**',
      'playground/browser/**',
      'packages/pool-page/{page,universal}/**',
      'packages/pool-page/src/pool-client.js',
      'packages/pool-predictor/src/**',
    ],
    ignores: ['packages/pool-predictor/src/node/**'],
    languageOptions: { globals: globals['shared-node-browser'] },
    rules: {
      'no-restricted-imports': ['error', { patterns: [{ regex: '^node:', message: 'This may run in a browser.' }] }],
    },
  },
  {
    files: ['{src,lab}/**/browser/**', 'playground/browser/**', 'packages/pool-page/page/**'],
    languageOptions: { globals: globals.browser },
  },
  { files: ['packages/pool-predictor/src/speedup/prediction-worker.js'], languageOptions: { globals: globals.worker } },
  { files: ['**/*.config.js'], rules: { 'no-restricted-syntax': 'off' } },
];
