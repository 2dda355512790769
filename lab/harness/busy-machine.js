/** @import { Result } from '../report/result-types.js' */

/** Part of the warning of a run whose figures other programs have spoilt. */
export const BUSY_MACHINE = 'this machine seems to be busy with something else';

/** Whether other programs have spoilt a run. @param {Result} result */
export function wasBusy({ warnings = [] }) {
  return warnings.some((warning) => warning.includes(BUSY_MACHINE));
}
