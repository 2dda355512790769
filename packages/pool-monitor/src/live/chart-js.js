import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** In the packed package it lies beside the page: scripts/copy-chart.js puts it there. */
const PACKED = path.join(fileURLToPath(new URL('../../page/', import.meta.url)), 'chart.js');

/**
 * Chart.js as one script for browsers, which puts `Chart` into their globals. In the repository it comes from the package
 * chart.js: it lies beside its main file, but is not among its exports.
 */
export const CHART_JS = existsSync(PACKED) ? PACKED
  : path.join(path.dirname(createRequire(import.meta.url).resolve('chart.js')), 'chart.umd.min.js');
