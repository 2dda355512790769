import { fillLeadingTemplate, keyOf } from './route-names.js';

/** @import { readStep } from './workload-flow.js' */

const CODE_HOOKS = ['beforeRequest', 'afterResponse'];
const OPERATION = /(?:^|[\s}])(?:query|mutation|subscription)\s+([_a-z]\w*)\s*[({@]/i;
const NAME = /^[_a-z]\w*$/i;

/** @type {typeof readStep} */
export function readRequest(params, path, { issues, target, values, onRequest }) {
  const written = params?.url ?? params?.uri;
  if (typeof written !== 'string') {
    issues.refuse(path, 'a request needs a url');
    return [];
  }
  for (const key of ['ifTrue', 'probability']) {
    if (params[key] !== undefined)
      issues.refuse([...path, key], `${key}: only requests that are always sent can be simulated`);
  }
  for (const key of CODE_HOOKS) {
    if (params[key] !== undefined) issues.warn([...path, key], `${key} is not run`);
  }
  for (const key of ['capture', 'match']) {
    if (params[key] !== undefined) issues.warn([...path, key], `${key} is assumed to succeed`);
  }
  const url = fillLeadingTemplate(written, values);
  if (!/^(\/|https?:\/\/|\{\{)/i.test(url)) {
    issues.refuse(
      [...path, 'url'],
      `Artillery can't send a request to ${JSON.stringify(url)}: a url begins with / or http`,
    );
    return [];
  }
  const method = String(path.at(-1));
  const place = placeOf(url, target);
  const endpoint = {
    method,
    url,
    path: pathOf(url),
    operation: operationOf(method, url, params.json),
    isOwn: place !== 'elsewhere',
  };
  onRequest(path, endpoint);
  if (place === 'elsewhere') {
    issues.warn(
      [...path, 'url'],
      `${url} goes to another host than the target, ${String(target)}, so it uses none of the app's connections. Its ` +
        'duration is unknown and counts as zero',
    );
    return [];
  }
  if (place === 'unknown')
    issues.warn([...path, 'url'], `${url} counts as the app's, because its host or the target is not known`);
  if (endpoint.path.includes('{{')) issues.warn([...path, 'url'], `${endpoint.path} counts as one route`);
  return [{ kind: 'request', route: keyOf(endpoint) }];
}

/** @param {string} url */
function pathOf(url) {
  const [path] = url.replace(/^https?:\/\/[^/?#]*/i, '').split(/[?#]/);
  return path || '/';
}

/** @param {string} url @param {unknown} target @returns {'target' | 'elsewhere' | 'unknown'} */
function placeOf(url, target) {
  const host = hostOf(url);
  if (host === undefined) return 'target';
  const own = typeof target === 'string' ? hostOf(target) : undefined;
  if (host === own) return 'target';
  return own === undefined || `${host}${own}`.includes('{{') ? 'unknown' : 'elsewhere';
}

/** Finds host and port, without the default ports. @param {string} url @returns {string | undefined} */
function hostOf(url) {
  const [, scheme, host] = /^(https?):\/\/(?:[^/?#@]*@)?([^/?#]*)/i.exec(url) ?? [];
  return host?.toLowerCase().replace(scheme.toLowerCase() === 'http' ? /:80$/ : /:443$/, '');
}

/**
 * Finds the name of a GraphQL operation, from operationName or the query's text.
 *
 * @param {string} method
 * @param {string} url
 * @param {any} json body
 * @returns {string | undefined}
 */
function operationOf(method, url, json) {
  if (method !== 'post') return undefined;
  const { operationName, query } = Object(json);
  const inText = typeof query === 'string' ? OPERATION.exec(query)?.[1] : undefined;
  const isGraphQl = inText !== undefined || /\/graphql\/?$/i.test(pathOf(url));
  return isGraphQl && typeof operationName === 'string' && NAME.test(operationName) ? operationName : inText;
}
