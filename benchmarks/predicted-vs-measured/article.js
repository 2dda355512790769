// The article's load at six pool sizes, measured twice. Rules: the prediction, from service time and overhead measured
// before each run, lies within 2 % or 5 ms of the second measurement, for median and maximum of both routes.
import { runLab } from '../../lab/harness/run-lab.js';
import { mixed } from '../../lab/labs/mixed/mixed-lab.js';
import { MIXED_SCENARIO } from '../../src/load-tests/load-test-runner.js';

const OPTIONS = { poolSizes: [1, 2, 3, 4, 5, 10], slowMs: 5000, scenario: MIXED_SCENARIO, repeat: 2 };
const ALLOWED = 0.02;
/** Two measurements of the same load differ as much, as the table shows. */
const NOISE_MS = 5;

/** @type {import('../parts/run-parts.js').BenchmarkPart} */
export const PART = {
  name: 'article',
  about: "the article's load, predicted from one lone request (5 minutes)",
  async run({ settings, signal, say }) {
    const { variants } = await runLab(mixed, OPTIONS, {
      settings,
      signal,
      report: say,
      onStep: ({ name }) => say(name),
    });
    const rows = variants.map(({ settings: { poolSize }, repeats = [], predicted }) =>
      Object.fromEntries([
        ['pool', poolSize],
        ...['/slow', '/fast'].flatMap((route) =>
          ['p50Ms', 'maxMs'].map((figure) => {
            const [first, second] = repeats.map(({ measured }) => measured.routes[route][figure]);
            const predictedMs = predicted?.routes[route][figure];
            const isOff = Math.abs(second - predictedMs) > Math.max(ALLOWED * predictedMs, NOISE_MS);
            return [
              `${route} ${figure}`,
              `${first} / ${second.toFixed(1)} / ${predictedMs.toFixed(1)}${isOff ? ' OFF' : ''}`,
            ];
          }),
        ),
      ]),
    );
    return [
      {
        title: 'The article, median and maximum: first / second measurement / prediction, in ms; allowed 2 % or 5 ms',
        rows,
        isMet: rows.every((row) => Object.values(row).every((text) => !String(text).includes('OFF'))),
      },
    ];
  },
};
