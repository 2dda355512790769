/** A part of a path that may be a name: short, plain, and no number or date. The rest names one thing of many. */
const PLAIN = /^[A-Za-z_*~-][\w*~-]{0,15}$/;
/** Such as `a8Kd92LmQx7`, `inv-2024-001` or `order1234`, but not `v2` or `getUser`. */
const CODE = /\d\D*\d\D*\d|(?=.*\d)(?=.*[a-z])(?=.*[A-Z])/;
/** Libraries whose requests go to a path that looks like a file. */
const LIBRARY = /^(?:engine|socket)\.io$/;
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
      .map((part) => (part === '' || isName(part) ? part : ':id'))
      .join('/') || '/'
  );
}

/** @param {string} part of a path */
function isName(part) {
  return (PLAIN.test(part) && !CODE.test(part)) || LIBRARY.test(part);
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

/** Where most apps have tRPC. */
const TRPC_PATH = /\/trpc\/[^/]+$/;
/** Version 11 says so in all of its answers. */
const TRPC_HEADER = /^vary:.*\btrpc-/im;

/** @param {string} path folded, or a pattern @param {any} response of node:http */
export function isTrpc(path, { headersSent, _header }) {
  // Most are none, and a search for words is quick.
  if (!path.includes('trpc') && !(headersSent && _header?.includes('trpc-'))) return false;
  return TRPC_PATH.test(path) || (headersSent && TRPC_HEADER.test(_header));
}

/** Names of procedures, such as `user.byId,post.list`, in the part after the last slash. */
const PROCEDURES = /^[^?#]*\/([a-z_][\w.]*(?:,[a-z_][\w.]*)*)(?:[?#]|$)/i;
const MAX_PROCEDURE = 64;
/** Lists the first of those that are asked for in one batch. */
const MAX_PROCEDURES = 3;

/**
 * Reads which procedures a tRPC request calls. Each order of a batch is the same name.
 *
 * @param {string} url
 * @returns {string | undefined} such as `post.list,user.byId`; undefined if it can't be one
 */
export function readProcedures(url) {
  const list = PROCEDURES.exec(url)?.[1];
  if (list === undefined) return undefined;
  const all = [...new Set(list.split(','))].toSorted();
  if (all.some((name) => name.length > MAX_PROCEDURE)) return undefined;
  const more = all.length - MAX_PROCEDURES;
  return `${all.slice(0, MAX_PROCEDURES).join(',')}${more > 0 ? ` and ${more} more` : ''}`;
}
