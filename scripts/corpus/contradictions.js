// Do the commands contradict each other, or themselves, on a terminal? Each rule is about a contradiction that somebody
// once read there.

/** @import { Answers, Texts } from './recordings.js' */

/**
 * @typedef {object} Statements of a recording
 * @property {Texts} texts each paragraph in one line
 * @property {Answers} answers
 * @property {TableRow[]} rows of the table of predict
 *
 * @typedef {{ to: number, cells: string[] }} TableRow of pool sizes up to `to`
 */

/** Requests of a smaller share who wait are nobody. */
const FEW = 0.05;

/**
 * What is said, and can't be true beside the rest.
 * @type {Record<string, (said: Statements) => (string | false | undefined)[]>}
 */
const RULES = {
  'more than there is': ({ texts }) =>
    listMatches(texts, /needs? ([\d.]+) (?:cores, more than the|of the) ([\d.]+) cores?[^.]*/g).map(
      ([text, needed, had]) => text.includes('more than') && Number(needed) <= Number(had) && text,
    ),
  'a zero that is not none': ({ texts }) =>
    listMatches(texts, /.{0,20}\b(?:0\.0 (?:of|on average)|0 connections|NaN|undefined|Infinity|null)\b/g).map(
      ([text]) => text,
    ),
  'figures of a size that has none': ({ texts }) => {
    const without = listMatches(texts, /No figures for ([\d, ]+):/g).flatMap(([, sizes]) => sizes.split(', '));
    return listMatches(texts, /(?<!fail )\bwith (\d+)(?: connections?)?,? (?:[^.]|\.\d)*?\d m?s\b/gi).map(
      ([text, size]) => without.includes(size) && text,
    );
  },
  'figures of any size, where there are none': ({ texts: { advise }, rows }) => [
    advise.includes('No figures for any size') && rows.length > 0 && `${rows.length} sizes`,
  ],
  'a best guess without figures': ({ texts: { predict }, rows }) => {
    const { best, isMore } = readGuess(predict);
    const row = rows.find(({ to }) => to >= best) ?? (isMore ? rows.at(-1) : undefined);
    return [best > 0 && !row?.cells.some((cell) => /\d/.test(cell)) && `${best}`];
  },
  'another best guess': ({ texts: { predict } }) => {
    const { best, isMore } = readGuess(predict);
    const [, full] = predict.match(/Above (\d+) connections? the server is the bottleneck/) ?? [];
    return [
      full !== undefined &&
        (isMore || best > Number(full)) &&
        `${best}, but the server is the bottleneck above ${full}`,
    ];
  },
  'another size without the reason': ({ texts: { predict, advise, doctor }, answers }) => {
    const { best } = readGuess(predict);
    const [advised] = advise.match(/^(?:No pool size meets [^\n]*|\d+ connections?[ :][^\n]*)/) ?? [];
    const sizes = [best, readGuess(doctor).best, answers.advise.poolSize].filter((size) => size > 0);
    if (new Set(sizes).size < 2) return [];
    const guesses = [predict, doctor].map((text) => text.match(/Best guess: (?:[^.]|\.\d)*\./)?.[0]);
    return [
      ...guesses.map((text) => text && !/because .* at the recorded load; .*goal, with headroom/.test(text) && text),
      advised && !/ at the recorded load\b/.test(advised) && advised,
      answers.advise.sizeNow !== answers.advise.poolSize && !/ with .* requests\b/.test(advised ?? '') && advised,
    ];
  },
  'another size than the advised one': ({
    texts: { advise },
    answers: {
      advise: { poolSize },
    },
  }) => {
    const [first, size] = advise.match(/^(\d+) connections?\b[^\n]*/) ?? [];
    return [first && Number(size) !== poolSize && `${size}, and ${poolSize}`];
  },
  'a table of nothing but sizes': ({ rows }) => [rows.some(({ cells }) => cells.length === 0) && 'it'],
  'a figure on the other side of its limit': ({ texts: { advise } }) => {
    const met = [...advise.matchAll(/< ([\d.]+ m?s)": at most ([\d.,]+ m?s)(?: at load \S+ and ([\d.,]+ m?s))?/g)];
    const missed = [...advise.matchAll(/< ([\d.]+ m?s)" takes up to ([\d.,]+ m?s)/g)];
    return [
      ...met.map(([text, limit, ...all]) => all.some((time) => time && toMs(time) >= toMs(limit)) && text),
      ...missed.map(([text, limit, time]) => toMs(time) < toMs(limit) && text),
    ];
  },
  'nobody who waits': ({ texts: { predict, advise }, answers: { doctor } }) => {
    const [said] = `${predict}${advise}`.match(/(?:nobody waits|nobody waited|a few queries waited) for a/) ?? [];
    return [said && doctor.verdict.waitingShare > FEW && `${said}, but ${doctor.totals.waiting} did`];
  },
  'more connections that would not help': ({ texts: { doctor, predict }, answers }) => {
    const { best } = readGuess(predict);
    const isUseless = /More connections (?:would|do) not help/.test(doctor);
    return [isUseless && best > recordedSizeOf(answers) && `the best guess is ${best}`];
  },
  'another pool than as it is': ({ texts: { doctor }, answers }) => [
    /Leave the pool as it is/.test(doctor) &&
      answers.advise.poolSize > recordedSizeOf(answers) &&
      `${answers.advise.poolSize} advised`,
  ],
  'a size that would not do': ({ texts: { doctor, predict } }) => {
    const { best: enough } = readGuess(doctor);
    const { best, isMore } = readGuess(predict);
    return [!isMore && enough > best && `${enough} would do, but the best guess is ${best}`];
  },
  'two numbers of cores': ({ texts }) => {
    const list = (/** @type {RegExp} */ pattern) => listMatches(texts, pattern).map(([, cores]) => Number(cores));
    const [had, free] = [list(/(?:its|the server's) ([\d.]+) cores/g), list(/([\d.]+) cores that the server could/g)];
    return [
      new Set(had).size > 1 && had.join(' and '),
      Math.max(...free) > Math.max(...had) && had.length > 0 && `${free.join()} of ${had.join()}`,
    ];
  },
  'figures out of order': ({ answers: { predict } }) =>
    (predict.variants ?? []).flatMap((/** @type {any} */ { settings, predicted: { routes, low, high } }) =>
      Object.entries(routes).map(([route, of]) => {
        const names = ['p50Ms', 'p95Ms', 'p99Ms', 'maxMs'].filter((name) => typeof of[name] === 'number');
        const isRising = names.every((name, index) => index === 0 || of[name] >= of[names[index - 1]]);
        const isInBand = names.every(
          (name) => !low || (of[name] >= low.routes[route][name] && of[name] <= high.routes[route][name]),
        );
        return !(isRising && isInBand) && `${route} with ${settings.poolSize}`;
      }),
    ),
};

/**
 * @param {Answers} answers
 * @param {Texts} texts
 * @returns {string[]} such as `a best guess without figures: 15`
 */
export function findContradictions(answers, texts) {
  const joined = Object.entries(texts).map(([command, text]) => [command, joinLines(text)]);
  /** @type {Statements} */
  const said = { answers, texts: Object.fromEntries(joined), rows: readRows(texts.predict) };
  return Object.entries(RULES).flatMap(([name, find]) =>
    find(said).flatMap((what) => (what ? [`${name}: ${what}`] : [])),
  );
}

/** @param {string} text @returns {string} a paragraph in a line; a table stays one */
function joinLines(text) {
  return text.replaceAll(/\n(?=[a-z0-9(])(?! *\d[^\n]* {2})/gi, ' ');
}

/** The rows of a table, without the failures. @param {string} text @returns {TableRow[]} */
function readRows(text) {
  const [, heading = '', table = ''] = text.match(/\n(.*)\n─[─ ]+\n((?:.+\n)+)/) ?? [];
  const isFirst = /^pool +fail\b/.test(heading);
  return [...table.matchAll(/^ *(?:\d+ to )?(\d+)(.*)$/gm)].map(([, to, rest]) => ({
    to: Number(to),
    cells: rest.split(/ +/).slice(isFirst ? 2 : 1),
  }));
}

/** @param {string} text */
function readGuess(text) {
  const [, more, best] = text.match(/Best guess: (more than )?(?:\d+ to )?(\d+)/) ?? [];
  return { best: Number(best), isMore: more !== undefined };
}

/** @param {Answers} answers @returns {number} NaN where predict was not asked for it */
function recordedSizeOf({ predict }) {
  const recorded = predict.variants?.find((/** @type {any} */ { measured }) => measured);
  return recorded ? recorded.settings.poolSize : NaN;
}

/** @param {string} quantity such as 1.2 s */
function toMs(quantity) {
  return Number.parseFloat(quantity.replace(',', '')) * (quantity.endsWith(' ms') ? 1 : 1000);
}

/** @param {Texts} texts @param {RegExp} pattern */
function listMatches(texts, pattern) {
  return Object.values(texts).flatMap((text) => [...text.matchAll(pattern)]);
}
