import { formatQuantity } from '../universal/quantity.js';

/** @import { ChartSpec, Result, Variant } from './result-types.js' */
/** @import { NamedRun } from './name-runs.js' */

/**
 * A chart without functions: what the page carries and its script draws.
 * @typedef {object} ChartData
 * @property {'bar' | 'dot' | 'line'} kind
 * @property {boolean} log
 * @property {string} title
 * @property {string} xTitle
 * @property {string} yTitle with its unit in full
 * @property {string[][]} categories lines of text each
 * @property {SeriesData[]} series
 *
 * @typedef {object} SeriesData
 * @property {string} label
 * @property {string} look its colour's name in the style sheet: `measured-1`, `exact` ...
 * @property {number} dash how a line is broken, 0 for not at all: tells the runs of a comparison apart
 * @property {(number | null)[]} values
 * @property {string[]} texts the values as one says them, empty where there is none
 */

// As many colours as a reader can tell apart; a lab with more measured series should draw two charts.
const MEASURED_LOOKS = 6;
const DASHES = 4;
/** The bus is blue and the Ferrari orange, wherever they are drawn. @type {Record<string, number>} */
const PLACES = { '/slow': 0, '/fast': 1 };
/** The time series of variants are all of one route, and none of them is the bus or the Ferrari. */
const COURSE_PLACE = 2;
/** @type {Record<ChartData['kind'], string>} */
const KIND_NAMES = { bar: 'Bar', dot: 'Dot', line: 'Line' };
/** @type {Record<string, string>} */
const UNIT_NAMES = { ms: 'milliseconds', s: 'seconds' };

/**
 * Each variant has bars or dots of its own; on a line the variants of one category are one point, of which each series takes
 * the first value it has.
 * @param {ChartSpec} spec
 * @param {Result} result
 * @returns {ChartData}
 */
export function layOutChart(spec, result) {
  const { variants } = result;
  if (spec.timeSeries) return layOutTimeSeries(spec, [{ name: '', result }]);
  const categories = variants.map(spec.category);
  if (spec.kind !== 'line') {
    return finish(spec, categories.map((category) => [category]), layOutSeries(spec, variants.map((variant) => [variant])));
  }
  const points = [...new Set(categories)];
  const groups = points.map((point) => variants.filter((_, index) => categories[index] === point));
  return finish(spec, points.map((point) => [point]), layOutSeries(spec, groups));
}

/**
 * What was measured in several results of a lab, in one chart. Bars stand side by side within a category, so that like
 * is next to like; each line is drawn once for each run.
 * @param {ChartSpec} whole
 * @param {NamedRun[]} runs
 * @returns {ChartData}
 */
export function layOutComparison(whole, runs) {
  if (whole.timeSeries) return layOutTimeSeries(whole, runs);
  const spec = { ...whole, series: whole.series.filter(({ role }) => role === 'measured') };
  const points = runs.flatMap(({ name, result }) => result.variants.map((variant) => (
    { name, variant, category: spec.category(variant) }
  )));
  const categories = [...new Set(points.map(({ category }) => category))];
  if (spec.kind !== 'line') {
    const ordered = categories.flatMap((category) => points.filter((point) => point.category === category));
    const lines = ordered.map(({ category, name }) => [`${category}, run ${name}`]);
    return finish(spec, lines, layOutSeries(spec, ordered.map(({ variant }) => [variant])));
  }
  const series = runs.flatMap(({ name }, index) => {
    const groups = categories.map((category) => (
      points.filter((point) => point.name === name && point.category === category).map(({ variant }) => variant)
    ));
    return layOutSeries(spec, groups).map((each) => (
      { ...each, label: nameLine(each.label, name), dash: index % DASHES }
    ));
  });
  return finish(spec, categories.map((category) => [category]), series);
}

/**
 * The chart in words, for those who can't see it.
 * @param {ChartData} chart
 */
export function describeChart({ kind, title, categories, series }) {
  const sentences = categories.map((lines, index) => {
    const values = series.map(({ label, texts }) => texts[index] && `${label} ${texts[index]}`);
    return `${lines.join(', ')}: ${values.filter(Boolean).join('; ') || 'no value'}.`;
  });
  return [`${KIND_NAMES[kind]} chart: ${title}.`, ...sentences].join(' ');
}

/**
 * @param {ChartSpec} spec
 * @param {Pick<NamedRun, 'name' | 'result'>[]} runs
 */
function layOutTimeSeries(spec, runs) {
  const lines = runs.flatMap(({ name, result }, index) => result.variants
    .map((variant) => ({ label: spec.category(variant), timeSeries: spec.timeSeries?.(variant) }))
    .flatMap(({ label, timeSeries }) => (timeSeries ? { label: nameLine(label, name), dash: index % DASHES, timeSeries } : []))
    .map((line, place) => ({ ...line, look: nameLook(COURSE_PLACE + place % (MEASURED_LOOKS - COURSE_PLACE)) })));
  const points = [...new Set(lines.flatMap(({ timeSeries }) => Object.keys(timeSeries)))];
  return finish(spec, points.map((point) => [point]), lines.map(({ timeSeries, ...line }) => (
    { ...line, values: points.map((point) => timeSeries[point] ?? null) })));
}

/**
 * @param {ChartSpec} spec
 * @param {Variant[][]} groups those of each category; where none has a value there is a gap
 */
function layOutSeries(spec, groups) {
  const looks = spec.series.map((_, index) => lookOf(spec, index));
  return spec.series.map(({ label, value }, index) => ({
    label,
    look: looks[index],
    // Several series of one route share its colour.
    dash: looks.slice(0, index).filter((look) => look === looks[index]).length % DASHES,
    values: groups.map((variants) => variants.map(value).find(Number.isFinite) ?? null),
  }));
}

/**
 * Leaves out series without any value, says every value in words and chooses the axis's unit. Seconds would read 0.001 on
 * a logarithmic axis.
 * @param {ChartSpec} spec
 * @param {string[][]} categories
 * @param {Omit<SeriesData, 'texts'>[]} all
 * @returns {ChartData}
 */
function finish({ kind, log = kind === 'dot', title, xLabel, yLabel, unit }, categories, all) {
  const series = all.filter(({ values }) => values.some((value) => value !== null));
  const largest = Math.max(...series.flatMap(({ values }) => values.map((value) => value ?? 0)));
  const isSeconds = unit === 'ms' && largest >= 2000 && !log;
  return {
    kind,
    log,
    title,
    xTitle: xLabel,
    yTitle: [yLabel, isSeconds ? UNIT_NAMES.s : UNIT_NAMES[unit] ?? unit].filter(Boolean).join(', '),
    categories,
    series: series.map((each) => ({
      ...each,
      values: each.values.map((value) => (value !== null && isSeconds ? value / 1000 : value)),
      texts: each.values.map((value) => (value === null ? '' : formatQuantity(value, unit))),
    })),
  };
}

/**
 * @param {ChartSpec} spec
 * @param {number} index of the series
 */
function lookOf({ series }, index) {
  const { role } = series[index];
  if (role !== 'measured') return role;
  const measured = series.filter((each) => each.role === 'measured');
  const places = measured.map(({ route }) => (route && Object.hasOwn(PLACES, route) ? PLACES[route] : undefined));
  const at = measured.indexOf(series[index]);
  const free = Array.from({ length: MEASURED_LOOKS }, (_, place) => place).filter((place) => !places.includes(place));
  const before = places.slice(0, at).filter((place) => place === undefined).length;
  return nameLook(places[at] ?? free[before % free.length]);
}

/** @param {number} place among measured series */
function nameLook(place) {
  return `measured-${place + 1}`;
}

/**
 * @param {string} label
 * @param {string} run empty where there is only one
 */
function nameLine(label, run) {
  return run ? `${label}, run ${run}` : label;
}
