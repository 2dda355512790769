// The matrix of injected causes against verdicts in docs/doctor.md, as the corpus gives it.
import { isRight } from '../../benchmarks/doctor/cases.js';
import { sum } from 'mongodb-pool-predictor/statistics';
import { renderRows } from './render-rows.js';

/** @import { Answered } from './accuracy-table.js' */
/** @import { Measured, Recording } from './recordings.js' */

const SHAPES = ['open-loop', 'closed-loop'];
/** A cause with this share of the waits is named below the verdict, with advice. */
const NAMED_SHARE = 0.2;
/** A larger pool helps if requests took less than this share of the time with it, as measured. */
const HELPED_SHARE = 0.9;
/** Verdicts that the pool has too few connections for what the app asks of it. */
const TOO_SMALL = ['fullPool', 'severalAtOnce'];

/** @param {Answered[]} all */
export function renderVerdicts(all) {
  const injected = all.filter(({ recording }) => recording.injected);
  const right = injected.filter(isFound);
  const healthy = injected.filter(({ recording }) => recording.injected?.cause === 'none');
  const blamed = healthy.filter(({ answers }) => answers.doctor.verdict.isProblem);
  const wrong = injected.filter((each) => !isFound(each)).map((each) => `${describeWrong(each)} `);
  const sentences =
    `It named the cause in ${right.length} of ${injected.length} recordings of an injected one. ${wrong.join('')}It ` +
    `reported a problem in ${blamed.length} of ${healthy.length} recordings of a healthy app. ${describeLoads(
      all.filter(({ recording }) => recording.measured),
    )}`;
  return [
    sentences,
    '',
    renderRows(
      ['injected', ...SHAPES.map((shape) => shape.replace('-', ' ')), 'others', 'beside it'],
      listCauses(injected),
    ),
  ].join('\n');
}

/** @param {Answered} answered */
function isFound({ recording, answers }) {
  return isRight(answers.doctor.verdict, /** @type {any} */ (recording.injected));
}

/** @param {Answered} answered */
function describeWrong({ recording, answers }) {
  return `${recording.name.replace('causes/', '')} was taken for ${answers.doctor.verdict.cause}.`;
}

/** @param {Answered[]} injected @returns {string[][]} */
function listCauses(injected) {
  const names = [...new Set(injected.map(({ recording }) => recording.name.split('/')[1]))];
  const rows = names.map((name) => {
    const own = injected.filter(({ recording }) => recording.name.split('/')[1] === name);
    const shapeOf = (/** @type {Answered} */ { recording }) => recording.name.split('/')[2];
    const say = (/** @type {Answered[]} */ some) =>
      some.map((each) => (isFound(each) ? 'right' : `**${each.answers.doctor.verdict.cause}**`)).join(', ') || '-';
    const beside = own.flatMap(({ answers: { doctor } }) =>
      doctor.verdict.isProblem
        ? doctor.causes.filter(
            (/** @type {{ cause: string, share: number }} */ { cause, share }) =>
              share >= NAMED_SHARE && cause !== 'none' && cause !== doctor.verdict.cause,
          )
        : [],
    );
    return [
      name,
      ...SHAPES.map((shape) => say(own.filter((each) => shapeOf(each) === shape))),
      say(own.filter((each) => !SHAPES.includes(shapeOf(each)))),
      [...new Set(beside.map(({ cause }) => cause))].join(', ') || '-',
    ];
  });
  const cellsOf = (/** @type {string[]} */ [, ...cells]) => cells.join();
  return [...new Set(rows.map(cellsOf))].map((cells) => {
    const alike = rows.filter((row) => cellsOf(row) === cells);
    return [alike.map(([name]) => name).join(', '), ...alike[0].slice(1)];
  });
}

/**
 * Describes the verdicts on ordinary loads, where the truth is whether requests took less time with a larger pool.
 * @param {Answered[]} loads
 */
function describeLoads(loads) {
  const judged = loads.map((each) => {
    const { verdict } = each.answers.doctor;
    return {
      ...each,
      isSmall: TOO_SMALL.includes(verdict.cause),
      ...verdict,
      hasHelped: hasLargerHelped(each.recording),
    };
  });
  const small = judged.filter(({ isSmall }) => isSmall);
  const healthy = judged.filter(({ isProblem }) => !isProblem);
  const nameAll = (/** @type {Answered[]} */ some) =>
    some.map(({ recording }) => recording.name.replace('loads/', '').replace('/recorded-at-', ' at ')).join(', ');
  const inVain = small.filter(({ hasHelped }) => !hasHelped);
  const missed = judged.filter(({ isSmall, hasHelped }) => !isSmall && hasHelped);
  return [
    `It called the pool too small for ${small.length} of the ${loads.length} recordings of ordinary loads, and a`,
    `larger one was faster for ${small.length - inVain.length} of these (not ${nameAll(inVain)}). It called`,
    `${healthy.length} healthy, and a larger pool was faster for`,
    `${healthy.filter(({ hasHelped }) => hasHelped).length} of these. It blamed something else where a larger one was`,
    `faster: ${nameAll(missed)}.`,
  ].join(' ');
}

/** Whether any larger pool that was measured answered clearly sooner. @param {Recording} recording */
function hasLargerHelped({ name, measured: truth }) {
  const { measured } = /** @type {Measured} */ (truth);
  const size = Number(name.match(/\d+$/)?.[0]);
  const larger = Object.keys(measured).filter((each) => Number(each) > size);
  return larger.some((each) => meanOf(measured[each]) < HELPED_SHARE * meanOf(measured[size]));
}

/** Mean time of all good answers. @param {Measured['measured'][string]} routes */
function meanOf(routes) {
  const all = Object.values(routes).map(({ count, failures, meanMs }) => ({ good: count - failures, meanMs }));
  return sum(all.map(({ good, meanMs }) => good * meanMs)) / sum(all.map(({ good }) => good));
}
