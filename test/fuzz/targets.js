import { commandLine } from './targets/command-line.js';
import { http } from './targets/http.js';
import { options } from './targets/options.js';
import { results } from './targets/results.js';
import { scenarios } from './targets/scenarios.js';
import { settings } from './targets/settings.js';
import { traces } from './targets/traces.js';
import { workshop } from './targets/workshop.js';

/**
 * What anybody can give to the project from outside, and what must hold whatever it is.
 *
 * @typedef {object} Target
 * @property {import('fast-check').Arbitrary<any>} arbitrary
 * @property {(value: any, surroundings: any) => void | Promise<void>} check throws if it does not hold
 * @property {(worker: { mongoUrl: string }) => Promise<{ close: () => unknown }>} [open] what all cases share
 * @property {number} [share] of the cases, where each takes long; 1 unless told
 */

/** @type {Record<string, Target>} */
export const targets = {
  ...settings, ...options, ...scenarios, ...traces, ...results, ...workshop, ...commandLine, ...http,
};
