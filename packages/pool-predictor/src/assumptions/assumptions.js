import { ADVICE, ADVICE_ASSUMPTIONS } from './advice-assumptions.js';
import { COMMON, COMMON_ASSUMPTIONS } from './common-assumptions.js';
import { DOCTOR, DOCTOR_ASSUMPTIONS } from './doctor-assumptions.js';
import { PREDICTION, PREDICTION_ASSUMPTIONS } from './prediction-assumptions.js';
import { SERVER, SERVER_ASSUMPTIONS } from './server-assumptions.js';
import { TRACE, TRACE_ASSUMPTIONS } from './trace-assumptions.js';

/** @typedef {import('./assumption.js').Assumption} Assumption */

/** The values that are in use, by topic and name. @type {Record<string, Record<string, number>>} */
export const VALUES = {
  common: COMMON,
  trace: TRACE,
  server: SERVER,
  prediction: PREDICTION,
  advice: ADVICE,
  doctor: DOCTOR,
};

/** All of them, by topic. @type {Assumption[]} */
export const ASSUMPTIONS = Object.entries({
  common: COMMON_ASSUMPTIONS,
  trace: TRACE_ASSUMPTIONS,
  server: SERVER_ASSUMPTIONS,
  prediction: PREDICTION_ASSUMPTIONS,
  advice: ADVICE_ASSUMPTIONS,
  doctor: DOCTOR_ASSUMPTIONS,
}).flatMap(([topic, entries]) =>
  Object.entries(entries).map(([name, entry]) => ({ id: `${topic}.${name}`, ...entry })),
);
