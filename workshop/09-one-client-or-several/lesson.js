import { isClose, right, wrong } from '../../src/workshop/verdict.js';

/** @type {import('../../src/workshop/types.js').LessonRules} */
export const lesson = {
  minutes: 10,
  lab: 'handles',
  asks: { question: 'How many times as many requests do gathered lookups answer as one client?', unit: 'times' },
  check({ results, answer }) {
    const [rates] = results.map(({ variants }) => Object.fromEntries(variants
      .filter(({ settings }) => settings.connections === variants[0].settings.connections)
      .map(({ settings, measured }) => [settings.handle, measured?.ratePerSec])))
      .filter(({ one, several, gathered }) => one && several && gathered);
    if (!rates) return wrong('There is no run with one client, several and gathered lookups: pool-lab run handles');
    const times = rates.gathered / rates.one;
    if (!isClose(answer, times)) return wrong('Divide the two rates, requests per second, by each other.');
    return right(`Gathered lookups answered ${times.toFixed(1)} times as many, several clients `
      + `${(rates.several / rates.one).toFixed(1)} times. It was not connections that were short.`);
  },
};
