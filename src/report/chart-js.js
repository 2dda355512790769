import { createRequire } from 'node:module';
import path from 'node:path';

/**
 * Chart.js as one script for browsers, which puts `Chart` into their globals. It lies beside the package's main file,
 * but is not among its exports.
 */
export const CHART_JS = path.join(path.dirname(createRequire(import.meta.url).resolve('chart.js')), 'chart.umd.min.js');
