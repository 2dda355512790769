import { isDeepStrictEqual } from 'node:util';
import { predictPreset } from '../../../../playground/browser/simulation.js';
import { formatLink, parseLink } from '../../../../playground/browser/link-state.js';
import { mutationsOf, sentencesOf } from 'test-support/fuzz-arbitraries.js';
import { require, requireClear } from 'test-support/fuzz-outcome.js';

const SCENARIO = `config: { target: x, phases: [{ duration: 2, arrivalCount: 4 }] }
scenarios: [{ flow: [{ get: { url: /fast } }, { think: 1 }, { get: { url: /slow } }] }]`;
const TRACE = `{"trace":"mongodb-pool-lab","version":2,"maxPoolSize":2}
{"checkOutStartedMs":0,"waitMs":0,"useMs":3,"route":"/fast"}
{"checkOutStartedMs":1,"waitMs":2,"useMs":5,"route":"/slow"}
{"end":"closed"}
`;

/** @type {Record<string, import('test-support/fuzz-outcome.js').FuzzTarget>} */
export const targets = {
  playgroundLink: {
    arbitrary: sentencesOf([
      '#',
      'knee',
      '?',
      'embed',
      '&',
      'bus=2',
      'yaml=',
      '%',
      '%E0',
      '%00',
      '=',
      '__proto__',
      ' ',
      'é',
    ]),
    check(hash) {
      const state = parseLink(hash);
      require(isDeepStrictEqual(parseLink(formatLink(state)), state), 'a link does not round-trip');
    },
  },
  playgroundTraffic: {
    arbitrary: mutationsOf([SCENARIO, TRACE]),
    async check(text) {
      const source = text.startsWith('{"trace"') ? { trace: text } : { yaml: text, services: ['/fast=2', '/slow=9'] };
      try {
        const { variants } = await predictPreset({ ...source, pool: 2, poolSizes: [2] });
        require(variants.length === 1, 'no figures');
      } catch (error) {
        requireClear(error);
      }
    },
    share: 0.2,
  },
};
