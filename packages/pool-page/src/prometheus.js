/**
 * Prometheus' text format, version 0.0.4: https://prometheus.io/docs/instrumenting/exposition_formats/
 *
 * @typedef {Record<string, string>} Labels
 * @typedef {{ name?: string, labels: Labels, value: number }} MetricSample name: if it is not its metric's
 * @typedef {{ name: string, help: string, type: 'counter' | 'gauge' | 'histogram', read: () => MetricSample[] }} Metric
 */

export const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** @param {Metric[]} metrics */
export function renderMetrics(metrics) {
  return metrics
    .map(({ name, help, type, read }) =>
      [
        `# HELP ${name} ${escape(help)}`,
        `# TYPE ${name} ${type}`,
        ...read().map((sample) => `${sample.name ?? name}${renderLabels(sample.labels)} ${renderValue(sample.value)}`),
        '',
      ].join('\n'),
    )
    .join('\n');
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
    const buckets = [...this.#bounds].map((bound, index) => ({
      bound: String(bound),
      value: (below += this.#counts[index]),
    }));
    return [
      ...[...buckets, { bound: '+Inf', value: this.#count }].map(({ bound, value }) => ({
        name: `${name}_bucket`,
        labels: { le: bound, ...this.#labels },
        value,
      })),
      { name: `${name}_sum`, labels: this.#labels, value: this.#sum },
      { name: `${name}_count`, labels: this.#labels, value: this.#count },
    ];
  }
}

/** @param {Labels} labels */
function renderLabels(labels) {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escape(value).replaceAll('"', '\\"')}"`);
  return pairs.length > 0 ? `{${pairs.join(',')}}` : '';
}

/** @param {string} text */
function escape(text) {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

/** @param {number} value */
function renderValue(value) {
  return Number.isFinite(value) ? String(value) : Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
}
