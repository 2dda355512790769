/** Part of a path that names one thing of many: a number, an ObjectId, a UUID, or another long name with digits. */
const ID = /^(?:\d+|[0-9a-f]{24}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?=[^/]*\d)[\w-]{16,})$/i;
const MAX_PATH = 200;

/**
 * Folds the ids of a path, so that requests of one route have one name.
 *
 * @param {string} url of a request, such as `/users/42?x=1`
 * @returns {string} such as `/users/:id`
 */
export function foldIds(url) {
  const end = url.search(/[?#]/);
  const path = (end < 0 ? url : url.slice(0, end)).slice(0, MAX_PATH);
  return (
    path
      .split('/')
      .map((part) => (ID.test(part) ? ':id' : part))
      .join('/') || '/'
  );
}

/**
 * Names a route as the lab and the predictor do: by its path, with the method in front unless it is GET or HEAD.
 *
 * @param {string} method
 * @param {string} pattern such as `/users/:id`
 */
export function nameRoute(method, pattern) {
  return method === 'GET' || method === 'HEAD' ? pattern : `${method} ${pattern}`;
}

/**
 * Reads what Express 4 and 5 know of the route once a handler is running.
 *
 * @param {any} request
 * @returns {string | undefined} undefined before that, and for a path that is no text
 */
export function readExpressPattern({ route, baseUrl }) {
  const path = route?.path;
  if (typeof path !== 'string') return undefined;
  const pattern = typeof baseUrl === 'string' && baseUrl !== '' ? `${baseUrl}${path}` : path;
  return (pattern.length > 1 && pattern.endsWith('/') ? pattern.slice(0, -1) : pattern) || '/';
}
