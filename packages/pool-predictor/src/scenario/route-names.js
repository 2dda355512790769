/** @import { FlowStep } from '../simulator/flow.js' */

/**
 * The place that a request goes to, which names its route.
 *
 * @typedef {object} Endpoint
 * @property {string} method such as get
 * @property {string} url as it is written, with the values of templates where they are known
 * @property {string} path of the URL, without host, query string or fragment
 * @property {string} [operation] of GraphQL
 * @property {boolean} isOwn false for another host than the target
 */

/** @typedef {Record<string, string | undefined>} TemplateValues by template, such as `url` for `{{ url }}` */

export const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options'];

/**
 * A template where a path begins. It decides which endpoint a request goes to; a later one, as in /users/{{ id }}, is a
 * parameter of one endpoint.
 */
const LEADING = /^((?:https?:\/\/[^/?#{}]*)?\/?)\{\{([^{}]*)\}\}/i;

/**
 * Lists the templates with which URLs of a flow begin.
 *
 * @param {unknown} flow steps, with loops and lists of steps
 * @returns {string[]} each once
 */
export function leadingTemplates(flow) {
  return [...new Set(listUrls(flow).flatMap((url) => LEADING.exec(url)?.[2].trim() ?? []))];
}

/** @param {string} url @param {TemplateValues} values @returns {string} unchanged if the value is unknown */
export function fillLeadingTemplate(url, values) {
  return url.replace(LEADING, (all, before, template) => {
    const name = template.trim();
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    return value === undefined ? all : before + value;
  });
}

/** @param {any} step @returns {string[]} */
function listUrls(step) {
  if (Array.isArray(step)) return step.flatMap(listUrls);
  if (typeof step !== 'object' || step === null) return [];
  if (step.loop !== undefined) return listUrls(step.loop);
  const method = Object.keys(step).find((key) => METHODS.includes(key));
  const url = method && (step[method]?.url ?? step[method]?.uri);
  return typeof url === 'string' ? [url] : [];
}

/** Makes a key that is different for each endpoint. @param {Endpoint} endpoint */
export function keyOf({ method, path, operation }) {
  return `${method.toUpperCase()} ${operation === undefined ? path : `${path} ${operation}`}`;
}

/**
 * Names routes by their path. The method comes before it if a path has several, and the GraphQL operation after it:
 * `/fast`, `GET /orders`, `/graphql GetUser`.
 *
 * @param {Endpoint[]} endpoints all of a scenario file
 * @returns {Map<string, string>} by key
 */
export function nameRoutes(endpoints) {
  const own = endpoints.filter(({ isOwn }) => isOwn);
  /** @type {Map<string, Set<string>>} */
  const methods = new Map();
  for (const { path, method } of own) methods.set(path, (methods.get(path) ?? new Set()).add(method));
  return new Map(
    own.map((endpoint) => {
      const key = keyOf(endpoint);
      const isOnly = methods.get(endpoint.path)?.size === 1;
      return [key, isOnly ? key.slice(endpoint.method.length + 1) : key];
    }),
  );
}

/** @param {FlowStep[]} steps @param {Map<string, string>} names of routes that get another one @returns {FlowStep[]} */
export function renameRoutes(steps, names) {
  return steps.map((step) => {
    if (step.kind === 'loop') return { ...step, steps: renameRoutes(step.steps, names) };
    return step.kind === 'request' ? { ...step, route: names.get(step.route) ?? step.route } : step;
  });
}
