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
