// The article's load at six pool sizes, measured twice. Rules: the prediction, from service time and overhead measured before
// each run, lies within 2 % or 5 ms of the second measurement, for median and maximum of both routes.
import { runLab } from '../../src/harness/run-lab.js';
import { MIXED_SCENARIO, mixed } from '../../src/labs/mixed/mixed-lab.js';
import { compare } from './compare.js';

const OPTIONS = { poolSizes: [1, 2, 3, 4, 5, 10], slowMs: 5000, scenario: MIXED_SCENARIO, repeat: 2 };

/** @type {import('../parts/run-parts.js').Part} */
export const PART = {
  name: 'article',
  about: 'the article\'s load, predicted from one lone request (5 minutes)',
  async run({ settings, signal, say }) {
    const { variants } = await runLab(mixed, OPTIONS, { settings, signal, report: say, onStep: ({ name }) => say(name) });
    const rows = variants.map(({ settings: { poolSize }, repeats = [], predicted }) => Object.fromEntries([
      ['pool', poolSize],
      ...['/slow', '/fast'].flatMap((route) => ['p50Ms', 'maxMs'].map((figure) => {
        const [first, second] = repeats.map(({ measured }) => measured.routes[route][figure]);
        return [`${route} ${figure}`, `${first} / ${compare(second, predicted?.routes[route][figure], 0.02)}`];
      })),
    ]));
    return [{
      title: 'The article, median and maximum: first / second measurement / prediction, in ms; allowed 2 % or 5 ms',
      rows, isMet: rows.every((row) => Object.values(row).every((text) => !String(text).includes('OFF'))),
    }];
  },
};
