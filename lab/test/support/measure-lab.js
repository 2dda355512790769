import { sharedMongoUrl } from 'test-support/mongod.js';
import { readSettings } from '../../../src/settings.js';
import { runLab } from '../../harness/run-lab.js';

/** @import { AnyLab } from '../../harness/run-lab.js' */

/**
 * The options of a lab whose command line has these.
 * @param {AnyLab} lab
 * @param {Record<string, unknown>} [given]
 * @returns {any}
 */
export function optionsOf(lab, given) {
  const defaults = Object.entries(lab.options).map(([name, option]) => [name, option.default]);
  return { ...Object.fromEntries(defaults), ...given };
}

/** Other tests use the cores, too. @type {NonNullable<Parameters<typeof runLab>[2]['watch']>} */
const watchNothing = () => () => ({ share: 1, isShort: false });

/**
 * Runs a lab in this process, with the MongoDB that all tests share.
 * @param {AnyLab} lab
 * @param {Record<string, unknown>} [options]
 * @param {Partial<Parameters<typeof runLab>[2]>} [surroundings]
 */
export function measureLab(lab, options, surroundings) {
  return runLab(lab, optionsOf(lab, options), {
    settings: readSettings({ MONGO_URL: sharedMongoUrl() }, 'no .env file'),
    signal: new AbortController().signal,
    report: () => {},
    onStep: () => {},
    watch: watchNothing,
    ...surroundings,
  });
}
