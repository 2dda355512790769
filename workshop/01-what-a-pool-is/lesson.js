import { formatQuantity } from '../../src/dashboard/shared/quantity.js';
import { right, wrong } from '../../src/workshop/verdict.js';

/** A shorter wait, in ms, is no standing in line. */
const NOTICED_MS = 50;

/** @type {import('../../src/workshop/types.js').LessonRules} */
export const lesson = {
  minutes: 10,
  app: true,
  check({ app }) {
    const waitsMs = app.checkouts.flatMap(({ route, askedAtMs, gotAtMs }) => (
      route === '/slow' && gotAtMs !== null ? gotAtMs - askedAtMs : []));
    if (waitsMs.length === 0) return wrong('No bus has come through the tunnel yet: send the load.');
    const waited = waitsMs.filter((ms) => ms >= NOTICED_MS).length;
    if (waited === 0) return wrong(`No bus had to wait: ${app.max} lanes are too many for that. Start the app with 2.`);
    return right(`${waited} of ${waitsMs.length} buses waited for one of ${app.max} lanes, the longest for `
      + `${formatQuantity(Math.max(...waitsMs), 'ms')}. Each borrowed a lane and gave it back.`);
  },
};
