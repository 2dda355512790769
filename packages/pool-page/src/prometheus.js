/**
 * Prometheus' text format, version 0.0.4: https://prometheus.io/docs/instrumenting/exposition_formats/
 *
 * @typedef {Record<string, string>} Labels
 * @typedef {{ name?: string, labels: Labels, le?: string, value: number }} MetricSample name: if it is not its
 *   metric's; le: the upper bound of a bucket, one more label
 * @typedef {{ name: string, help: string, type: 'counter' | 'gauge' | 'histogram', read: () => MetricSample[] }} Metric
 */

export const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** @param {Metric[]} metrics */
export function renderMetrics(metrics) {
  return metrics
    .map(({ name, help, type, read }) =>
      [`# HELP ${name} ${escape(help)}`, `# TYPE ${name} ${type}`, ...renderSeries(name, read()), ''].join('\n'),
    )
    .join('\n');
}

/**
 * Joins the texts of several processes. A metric's series must stay together, below one HELP and one TYPE.
 *
 * @param {{ labels: Labels, text: string }[]} sources text: from renderMetrics; labels: added to each of its series
 * @returns {string} in the same format
 */
export function mergeMetrics(sources) {
  /** Lines by metric. @type {Map<string, { head: string[], series: string[] }>} */
  const metrics = new Map();
  for (const { labels, text } of sources) {
    const added = renderLabels(labels);
    let current = { head: /** @type {string[]} */ ([]), series: /** @type {string[]} */ ([]) };
    for (const line of text.split('\n')) {
      if (line === '') continue;
      const [, kind, name] = /^# (HELP|TYPE) (\S+)/.exec(line) ?? [];
      if (name === undefined) {
        current.series.push(addLabels(line, added));
        continue;
      }
      current = metrics.get(name) ?? { head: [], series: [] };
      metrics.set(name, current);
      if (!current.head.some((known) => known.startsWith(`# ${kind} `))) current.head.push(line);
    }
  }
  return [...metrics.values()].flatMap(({ head, series }) => [...head, ...series, '']).join('\n');
}

/** Counts values by upper bounds, for one set of labels. */
export class Histogram {
  #bounds;
  #labels;
  #counts;
  #sum = 0;
  #count = 0;

  /** @param {readonly number[]} bounds ascending @param {Labels} labels */
  constructor(bounds, labels) {
    this.#bounds = bounds;
    this.#labels = labels;
    this.#counts = new Float64Array(bounds.length);
  }

  /** @param {number} value */
  observe(value) {
    this.#sum += value;
    this.#count += 1;
    // Most values are small, and a loop costs less than a search.
    for (let index = 0; index < this.#bounds.length; index++) {
      if (value > this.#bounds[index]) continue;
      this.#counts[index] += 1;
      return;
    }
  }

  /** @param {string} name of the metric @returns {MetricSample[]} */
  read(name) {
    let below = 0;
    const labels = this.#labels;
    const bucket = `${name}_bucket`;
    return [
      ...this.#bounds.map((bound, index) => {
        below += this.#counts[index];
        return { name: bucket, labels, le: String(bound), value: below };
      }),
      { name: bucket, labels, le: '+Inf', value: this.#count },
      { name: `${name}_sum`, labels, value: this.#sum },
      { name: `${name}_count`, labels, value: this.#count },
    ];
  }
}

/**
 * The buckets of a histogram share their labels, which are rendered once: a scrape holds up the app's event loop.
 * @param {string} name of the metric
 * @param {MetricSample[]} samples
 */
function renderSeries(name, samples) {
  /** @type {Labels | undefined} */
  let rendered;
  let text = '';
  return samples.map((sample) => {
    if (sample.labels !== rendered) text = renderLabels((rendered = sample.labels));
    const bound = sample.le === undefined ? '' : `le="${sample.le}"`;
    const labels = bound && text ? `${bound},${text}` : bound || text;
    return `${sample.name ?? name}${labels && `{${labels}}`} ${renderValue(sample.value)}`;
  });
}

/** @param {Labels} labels */
function renderLabels(labels) {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${escape(value).replaceAll('"', '\\"')}"`)
    .join(',');
}

/** @param {string} line of a series @param {string} labels rendered */
function addLabels(line, labels) {
  const nameEnd = line.search(/[{ ]/);
  const rest = line.slice(nameEnd);
  return `${line.slice(0, nameEnd)}{${labels}${rest[0] === '{' ? `,${rest.slice(1)}` : `}${rest}`}`;
}

/** @param {string} text */
function escape(text) {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

/** @param {number} value */
function renderValue(value) {
  return Number.isFinite(value) ? String(value) : Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
}
