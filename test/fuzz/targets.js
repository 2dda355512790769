import { attach } from './targets/attach-targets.js';
import { classroom } from './targets/classroom-targets.js';
import { commandLine } from './targets/command-line-targets.js';
import { http } from './targets/http-targets.js';
import { options } from './targets/options-targets.js';
import { playground } from './targets/playground-targets.js';
import { results } from './targets/results-targets.js';
import { scenarios } from './targets/scenarios-targets.js';
import { settings } from './targets/settings-targets.js';
import { traces } from './targets/traces-targets.js';
import { workshop } from './targets/workshop-targets.js';

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
  ...attach, ...classroom, ...settings, ...options, ...scenarios, ...traces, ...results, ...workshop, ...playground,
  ...commandLine, ...http,
};
