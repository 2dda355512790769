/** A part of a path that may be a name: short, plain, and no number or date. The rest names one thing of many. */
const PLAIN = /^[A-Za-z_*~-][\w*~-]{0,15}$/;
/** Such as `a8Kd92LmQx7`, `inv-2024-001` or `order1234`, but not `v2` or `getUser`. */
const CODE = /\d\D*\d\D*\d|(?=.*\d)(?=.*[a-z])(?=.*[A-Z])/;
const MAX_PATH = 200;

/**
 * Folds the parts of a path that look like values: ids, dates, addresses, tokens, file names. So requests of one route
 * have one name, and the name has nothing about people.
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
      .map((part) => (part === '' || (PLAIN.test(part) && !CODE.test(part)) ? part : ':id'))
      .join('/') || '/'
  );
}

/** @param {string} pattern @returns {string} such as `/users` of `/users/:id` */
export function firstSegment(pattern) {
  const end = pattern.indexOf('/', 1);
  return end < 0 ? pattern : pattern.slice(0, end);
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

/** The first operation with a name. Up to this place in the text: it is the client's. */
const OPERATION = /(?:^|[\s}])(?:query|mutation|subscription)\s+([_a-z]\w{0,63})\s*[({@]/i;
const NAME = /^[_a-z]\w{0,63}$/i;
const MAX_TEXT = 2000;

/**
 * Reads the name of a GraphQL operation by the rules of `predict`, which names the operations of a scenario.
 *
 * @param {any} body parsed
 * @param {string} path
 * @returns {string | undefined} undefined if it has none, or is no GraphQL
 */
export function readOperation(body, path) {
  const { operationName, query } = Object(body);
  const isAtGraphQl = path.endsWith('/graphql') || path.endsWith('/graphql/');
  const isNamed = typeof operationName === 'string' && NAME.test(operationName);
  if (isNamed && isAtGraphQl) return operationName;
  const inText = typeof query === 'string' ? OPERATION.exec(query.slice(0, MAX_TEXT))?.[1] : undefined;
  return isNamed && inText !== undefined ? operationName : inText;
}
