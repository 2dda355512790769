import { formatNumber } from 'mongodb-pool-page/universal/quantity.js';

/** @import { Result } from './result-types.js' */

/** Part of the warning of a run whose figures other programs have spoilt. */
export const BUSY_MACHINE = 'this machine seems to be busy with something else';

/** Whether other programs have spoilt a run. @param {Result} result */
export function wasBusy({ warnings = [] }) {
  return warnings.some((warning) => warning.includes(BUSY_MACHINE));
}

/** What the lab had of the machine; empty in a result of an earlier version. @param {Result} result */
export function describeMachine({ environment, variants }) {
  const shares = variants.flatMap(({ machineShare }) => machineShare ?? []);
  if (shares.length === 0) return '';
  const [least, most] = [Math.min(...shares), Math.max(...shares)].map((share) => formatNumber(share * 100));
  const range = least === most ? least : `${least} to ${most}`;
  return `Other programs left ${range} % of this machine's ${environment.cores} cores to the lab.`;
}
