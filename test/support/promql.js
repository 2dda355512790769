import { parser } from '@prometheus-io/lezer-promql';

/** @typedef {{ name: string, labels: string[] }} Selector a metric and the labels that a query uses */

/**
 * Parse a query with Prometheus' own grammar.
 * @param {string} query PromQL; may contain Grafana's variables
 * @returns {{ selectors: Selector[], grouping: string[] }} grouping: labels to group by
 * @throws {Error} if it is not PromQL
 */
export function readQuery(query) {
  const text = query.replaceAll(/\[\$\w+\]/g, '[5m]');
  /** @type {Selector[]} */
  const selectors = [];
  /** @type {string[]} */
  const grouping = [];
  let isGrouping = false;
  parser.parse(text).iterate({
    enter({ type, name, from, to }) {
      if (type.isError) throw new Error(`"${query}" is not PromQL at character ${from}`);
      const part = text.slice(from, to);
      if (name === 'Identifier') selectors.push({ name: part, labels: [] });
      if (name === 'GroupingLabels') isGrouping = true;
      if (name === 'LabelName') (isGrouping ? grouping : selectors[selectors.length - 1].labels).push(part);
    },
    leave({ name }) {
      if (name === 'GroupingLabels') isGrouping = false;
    },
  });
  return { selectors, grouping };
}

/**
 * Find metrics and labels of a query that GET /metrics does not have.
 * @param {string} query
 * @param {string} metrics text of GET /metrics
 * @returns {string[]} `metric` or `metric.label`
 * @throws {Error} if it is not PromQL
 */
export function findMissing(query, metrics) {
  const series = [...metrics.matchAll(/^([a-z_]\w*)(?:\{(.*)\})? /gm)].map(([, name, text = '']) => ({
    name,
    labels: [...text.matchAll(/(\w+)="/g)].map(([, label]) => label),
  }));
  const { selectors, grouping } = readQuery(query);
  return selectors.flatMap(({ name, labels }) => {
    const served = series.filter((one) => one.name === name);
    if (served.length === 0) return name;
    // Prometheus adds these two labels.
    const known = new Set(['instance', 'job', ...served.flatMap((one) => one.labels)]);
    return [...labels, ...grouping].filter((label) => !known.has(label)).map((label) => `${name}.${label}`);
  });
}
