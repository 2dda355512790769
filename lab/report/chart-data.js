import { formatQuantity } from 'mongodb-pool-page/universal/quantity.js';

/** @import { ChartSpec, Result, Variant } from './result-types.js' */
/** @import { NamedRun } from './name-runs.js' */

/**
 * A chart as JSON, for the page's script.
 * @typedef {object} ChartData
 * @property {'bar' | 'dot' | 'line'} kind
 * @property {boolean} log
 * @property {string} title
 * @property {string} xTitle
 * @property {string} yTitle with its unit in full
 * @property {string[][]} categories each one is several lines
 * @property {SeriesData[]} series
 *
 * @typedef {object} SeriesData
 * @property {string} label
 * @property {string} look a colour of the style sheet: `measured-1`, `exact` ...
 * @property {number} [on] in a bar chart: the measured series that this one is compared with. It is a tick on its bars
 * @property {number} dash dash pattern, 0 for a solid line: distinguishes the runs of a comparison
 * @property {(number | null)[]} values
 * @property {string[]} texts the values with their units, empty where there is none
 */

const DASHES = 4;
/** The bus is blue and the Ferrari orange, wherever they are drawn. @type {Record<string, number>} */
const PLACES = { '/slow': 0, '/fast': 1 };
/**
 * What is measured of all routes together is ink, and no second thing is blue or orange. Readers can't distinguish more
 * colours: a lab with more measured series should draw two charts.
 */
const OTHER_PLACES = [5, 2, 3, 4];
/** @type {Record<ChartData['kind'], string>} */
const KIND_NAMES = { bar: 'Bar', dot: 'Dot', line: 'Line' };
/** @type {Record<string, string>} */
const UNIT_NAMES = { ms: 'milliseconds', s: 'seconds' };

/**
 * Lays out a chart. Each variant has separate bars or dots. In a line chart, the variants of a category share one
 * point: each series uses its first available value.
 * @param {ChartSpec} spec
 * @param {Result} result
 * @returns {ChartData}
 */
export function layOutChart(spec, result) {
  if (spec.timeSeries) return layOutTimeSeries(spec, [{ name: '', result }]);
  const variants = result.variants.filter((variant) => isShown(spec, variant));
  const categories = variants.map(spec.category);
  if (spec.kind !== 'line') {
    return finishChart(spec, wrapEach(categories), layOutSeries(spec, wrapEach(variants)));
  }
  const points = [...new Set(categories)];
  const groups = points.map((point) => variants.filter((_, index) => categories[index] === point));
  return finishChart(spec, wrapEach(points), layOutSeries(spec, groups));
}

/**
 * Lays out the measured figures of several results in one chart. Within a category, bars stand side by side. Each line
 * is drawn once per run.
 * @param {ChartSpec} fullSpec
 * @param {NamedRun[]} runs
 * @returns {ChartData}
 */
export function layOutComparison(fullSpec, runs) {
  if (fullSpec.timeSeries) return layOutTimeSeries(fullSpec, runs);
  const spec = { ...fullSpec, series: fullSpec.series.filter(({ role }) => role === 'measured') };
  const points = runs.flatMap(({ name, result }) =>
    result.variants
      .filter((variant) => isShown(spec, variant))
      .map((variant) => ({ name, variant, category: spec.category(variant) })),
  );
  const categories = [...new Set(points.map(({ category }) => category))];
  if (spec.kind !== 'line') {
    const ordered = categories.flatMap((category) => points.filter((point) => point.category === category));
    const lines = ordered.map(({ category, name }) => [`${category}, run ${name}`]);
    return finishChart(spec, lines, layOutSeries(spec, wrapEach(ordered.map(({ variant }) => variant))));
  }
  const series = runs.flatMap(({ name }, index) => {
    const groups = categories.map((category) =>
      points.filter((point) => point.name === name && point.category === category).map(({ variant }) => variant),
    );
    const dash = index % DASHES;
    return layOutSeries(spec, groups).map((each) => ({ ...each, label: nameLine(each.label, name), dash }));
  });
  return finishChart(spec, wrapEach(categories), series);
}

/** Describes the chart in words, for screen readers. @param {ChartData} chart */
export function describeChart({ kind, title, categories, series }) {
  const sentences = categories.map((lines, index) => {
    const values = series.map(({ label, texts }) => texts[index] && `${label} ${texts[index]}`);
    return `${lines.join(', ')}: ${values.filter(Boolean).join('; ') || 'no value'}.`;
  });
  return [`${KIND_NAMES[kind]} chart: ${title}.`, ...sentences].join(' ');
}

/** @param {ChartSpec} spec @param {Pick<NamedRun, 'name' | 'result'>[]} runs */
function layOutTimeSeries(spec, runs) {
  const lines = runs.flatMap(({ name, result }, index) =>
    result.variants
      .map((variant) => ({ label: spec.category(variant), timeSeries: spec.timeSeries?.(variant, result) }))
      .flatMap(({ label, timeSeries }) =>
        timeSeries ? { label: nameLine(label, name), dash: index % DASHES, timeSeries } : [],
      )
      .map((line, place) => ({
        ...line,
        look: nameLook(OTHER_PLACES[place % OTHER_PLACES.length]),
      })),
  );
  const points = [...new Set(lines.flatMap(({ timeSeries }) => Object.keys(timeSeries)))];
  return finishChart(
    spec,
    wrapEach(points),
    lines.map(({ timeSeries, ...line }) => ({ ...line, values: points.map((point) => timeSeries[point] ?? null) })),
  );
}

/** A variant that failed keeps its empty place. @param {ChartSpec} spec @param {Variant} variant */
function isShown({ series }, variant) {
  return Boolean(variant.error) || series.some(({ value }) => Number.isFinite(value(variant)));
}

/** @param {ChartSpec} spec @param {Variant[][]} groups one for each category */
function layOutSeries(spec, groups) {
  const looks = spec.series.map((_, index) => lookOf(spec, index));
  return spec.series.map(({ label, value }, index) => ({
    label,
    look: looks[index],
    // Several series of one route share its colour.
    dash: looks.slice(0, index).filter((look) => look === looks[index]).length % DASHES,
    on: spec.kind === 'bar' ? findMeasured(spec, index) : undefined,
    values: groups.map((variants) => variants.map(value).find(Number.isFinite) ?? null),
  }));
}

/**
 * Drops empty series, formats the values and chooses the unit of the axis: ms on a logarithmic one, where seconds would
 * read 0.001.
 * @param {ChartSpec} spec
 * @param {string[][]} categories
 * @param {Omit<SeriesData, 'texts'>[]} all
 * @returns {ChartData}
 */
function finishChart({ kind, log = kind === 'dot', title, xLabel, yLabel, unit }, categories, all) {
  const isFilled = (/** @type {Omit<SeriesData, 'texts'> | undefined} */ each) =>
    each?.values.some((value) => value !== null);
  const series = all.filter(isFilled).map(({ on = -1, ...each }) => {
    // Without its bars, a series has bars of its own.
    const bars = isFilled(all[on]) ? all.filter(isFilled).indexOf(all[on]) : undefined;
    return bars === undefined ? each : { ...each, on: bars };
  });
  const largest = Math.max(...series.flatMap(({ values }) => values.map((value) => value ?? 0)));
  const isSeconds = unit === 'ms' && largest >= 2000 && !log;
  return {
    kind,
    log,
    title,
    xTitle: xLabel,
    yTitle: [yLabel, isSeconds ? UNIT_NAMES.s : (UNIT_NAMES[unit] ?? unit)].filter(Boolean).join(', '),
    categories,
    series: series.map((each) => ({
      ...each,
      values: each.values.map((value) => (value !== null && isSeconds ? value / 1000 : value)),
      texts: each.values.map((value) => (value === null ? '' : formatQuantity(value, unit))),
    })),
  };
}

/** A category of one line, or a group of one variant. @template T @param {T[]} values */
function wrapEach(values) {
  return values.map((value) => [value]);
}

/** The first measured series of the same route. @param {ChartSpec} spec @param {number} index of a series */
function findMeasured({ series }, index) {
  const { role, route } = series[index];
  return role === 'measured' ? undefined : series.findIndex((each) => each.role === 'measured' && each.route === route);
}

/** @param {ChartSpec} spec @param {number} index of the series */
function lookOf({ series }, index) {
  const { role } = series[index];
  if (role !== 'measured') return role;
  const measured = series.filter((each) => each.role === 'measured');
  const places = measured.map(({ route }) => (route && Object.hasOwn(PLACES, route) ? PLACES[route] : undefined));
  const at = measured.indexOf(series[index]);
  const before = places.slice(0, at).filter((place) => place === undefined).length;
  return nameLook(places[at] ?? OTHER_PLACES[before % OTHER_PLACES.length]);
}

/** @param {number} place among measured series */
function nameLook(place) {
  return `measured-${place + 1}`;
}

/** @param {string} label @param {string} run empty if there is only one */
function nameLine(label, run) {
  return run ? `${label}, run ${run}` : label;
}
