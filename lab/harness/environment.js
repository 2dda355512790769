import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';

/** @import { Result } from '../report/result-types.js' */

/** Part of the warning of a run whose figures other programs have spoilt. */
export const BUSY_MACHINE = 'this machine seems to be busy with something else';

/** Whether other programs have spoilt a run. @param {Result} result */
export function wasBusy({ warnings = [] }) {
  return warnings.some((warning) => warning.includes(BUSY_MACHINE));
}

const require = createRequire(import.meta.url);

/** @param {string | null} mongodb version of the server, null where there is none */
export function describeEnvironment(mongodb) {
  const cpus = os.cpus();
  return {
    poolLab: JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version,
    node: process.versions.node,
    driver: versionOf('mongodb'),
    artillery: versionOf('artillery'),
    autocannon: versionOf('autocannon'),
    mongodb,
    os: `${os.type()} ${os.release()} ${os.arch()}`,
    cpu: cpus[0]?.model ?? 'unknown',
    cores: cpus.length,
    memoryGB: Math.round(os.totalmem() / 2 ** 30),
  };
}

/** @param {string} name of a package */
function versionOf(name) {
  return require(`${name}/package.json`).version;
}
