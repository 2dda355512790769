import { describeFailures, summariseReport } from './artillery.js';

/** @import { ArtilleryReport } from './artillery.js' */
/** @import { Result } from '../report/result-types.js' */

/** @param {any} json @returns {boolean} whether this is what `artillery run --output` writes */
export function isArtilleryOutput(json) {
  const { counters, summaries } = Object(Object(json).aggregate);
  return typeof counters === 'object' && typeof summaries === 'object';
}

/**
 * Load tests that Artillery ran by itself, as one result: a variant for each.
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
