import { describeFailures, summariseReport } from './artillery.js';

/** @import { ArtilleryReport } from './artillery.js' */
/** @import { Result } from '../report/result-types.js' */

/** @param {unknown} json @returns {boolean} whether `artillery run --output` wrote it */
export function isArtilleryOutput(json) {
  const { counters, summaries } = Object(Object(json).aggregate);
  return typeof counters === 'object' && typeof summaries === 'object';
}

/**
 * Load tests that were run with Artillery alone, as one result with a variant for each.
 * @param {{ name: string, output: { aggregate: ArtilleryReport & { firstMetricAt: number } } }[]} tests at least one
 * @returns {Result}
 */
export function createLoadTestResult(tests) {
  const begins = tests.map(({ output }) => output.aggregate.firstMetricAt).filter(Boolean);
  return {
    lab: 'load-tests',
    startedAt: begins.length > 0 ? new Date(Math.min(...begins)).toISOString() : '',
    environment: {},
    settings: {},
    variants: tests.map(({ name, output: { aggregate } }) => {
      const measured = summariseReport(aggregate);
      return { name, settings: {}, measured, ...(measured.failures > 0 && { error: describeFailures(aggregate) }) };
    }),
  };
}
