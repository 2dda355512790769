import { parser } from '@prometheus-io/lezer-promql';

/**
 * @typedef {object} Selector of a query: the series it reads
 * @property {string} name of the metric
 * @property {string[]} labels that it asks for
 */

/**
 * Read a query with Prometheus' own grammar.
 *
 * @param {string} query in PromQL; Grafana's variables may stand for durations and within strings
 * @returns {{ selectors: Selector[], grouping: string[] }} grouping: labels that results are grouped by
 * @throws {Error} where the query is no PromQL
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
      if (type.isError) throw new Error(`"${query}" is no PromQL at character ${from}`);
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
 * What of a query nobody serves.
 *
 * @param {string} query
 * @param {string} metrics text as GET /metrics answers
 * @returns {string[]} names of metrics, and of their labels behind a dot
 * @throws {Error} where the query is no PromQL
 */
export function findMissing(query, metrics) {
  const series = [...metrics.matchAll(/^([a-z_]\w*)(?:\{(.*)\})? /gm)].map(([, name, text = '']) => (
    { name, labels: [...text.matchAll(/(\w+)="/g)].map(([, label]) => label) }));
  const { selectors, grouping } = readQuery(query);
  return selectors.flatMap(({ name, labels }) => {
    const served = series.filter((one) => one.name === name);
    if (served.length === 0) return name;
    // Prometheus adds these two to what it scrapes.
    const known = new Set(['instance', 'job', ...served.flatMap((one) => one.labels)]);
    return [...labels, ...grouping].filter((label) => !known.has(label)).map((label) => `${name}.${label}`);
  });
}
