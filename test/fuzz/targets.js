import { commandLine } from './targets/command-line.js';
import { http } from './targets/http.js';
import { options } from './targets/options.js';
import { results } from './targets/results.js';
import { scenarios } from './targets/scenarios.js';
import { settings } from './targets/settings.js';
import { traces } from './targets/traces.js';
import { workshop } from './targets/workshop.js';

/**
 * Input from outside, and what must hold for any input.
 *
 * @typedef {object} Target
 * @property {import('fast-check').Arbitrary<any>} arbitrary
 * @property {(value: any, surroundings: any) => void | Promise<void>} check throws if that does not hold
 * @property {(worker: { mongoUrl: string }) => Promise<{ close: () => unknown }>} [open] sets up what all cases share
 * @property {number} [share] of the cases, for targets where each case takes long; default 1
 */

/** @type {Record<string, Target>} */
export const targets = {
  ...settings, ...options, ...scenarios, ...traces, ...results, ...workshop, ...commandLine, ...http,
};
