import {
  firstSegment,
  foldIds,
  isTrpc,
  nameRoute,
  readExpressPattern,
  readOperation,
  readProcedures,
} from './name-routes.js';
import { readFrameworkBody, readFrameworkPattern } from './frameworks.js';

/** @import { IncomingMessage, ServerResponse } from 'node:http' */

/** More than any app has routes. Names that never end must not fill the memory. */
const MAX_ROUTES = 500;
/**
 * Limit for names that clients choose, so that they can't crowd out real routes: paths that no route matches, GraphQL
 * operations, and tRPC procedures.
 */
const MAX_CHOSEN = 250;
const OTHER = '(other routes)';
const NOT_FOUND = '(not found)';
/** The status of a tRPC batch whose procedures had different ones. */
const MULTI_STATUS = 207;
/** Only paths that short are kept with their folded form, and only that many. */
const MAX_URL = 200;
const MAX_URLS = 500;
/** Matches everything, as `*`, `/{*splat}`, `(.*)` and `/[...slug]` do. */
const CATCH_ALL = /^\/?[^/]*(?:\*|\.\.\.)[^/]*$/;

/** The names of an app's routes, which most requests share. */
export class KnownRoutes {
  #isShort;
  #matched;
  #chosen;
  /** Patterns that match everything. @type {Set<string>} */
  #catchAlls = new Set();
  /** Folded paths, by URL. @type {Map<string, string>} */
  #folded = new Map();

  /** @param {{ isShort?: boolean }} [options] isShort: a name is the method and the first segment of the path */
  constructor({ isShort = false } = {}) {
    this.#isShort = isShort;
    this.#matched = new NameTable(MAX_ROUTES, isShort);
    this.#chosen = new NameTable(MAX_CHOSEN, isShort);
  }

  /**
   * Names the route of a request by the framework's own route, else by its folded path. It can be asked at any time,
   * and is final once the headers of the response are sent. A request that no route matches and that ends in 404 gets
   * no separate name, because anybody can make up such paths.
   *
   * @param {ServerResponse} response
   */
  name(response) {
    const request = /** @type {IncomingMessage & { originalUrl?: string }} */ (response.req);
    const { method = 'GET', url = '/', originalUrl = url } = request;
    const pattern = this.#readPattern(request);
    const path = pattern ?? this.#fold(originalUrl);
    const ofProcedures = this.#nameProcedures(method, path, originalUrl, response);
    if (ofProcedures !== undefined) return ofProcedures;
    const name = pattern === undefined ? this.#nameUnmatched(method, path, response) : this.#nameMatched(method, path);
    if (method !== 'POST' || this.#isShort || name === NOT_FOUND) return name;
    const operation = readOperation(readBody(request), path);
    return operation === undefined ? name : (this.#chosen.take(method, `${path} ${operation}`) ?? name);
  }

  /** @param {IncomingMessage} request */
  #readPattern(request) {
    const ofExpress = readExpressPattern(request);
    if (ofExpress !== undefined && !this.#isCatchAll(ofExpress)) return ofExpress;
    const pattern = readFrameworkPattern(request);
    return pattern !== undefined && !this.#isCatchAll(pattern) ? pattern : undefined;
  }

  /** @param {string} pattern */
  #isCatchAll(pattern) {
    if (this.#matched.has(pattern)) return false;
    if (this.#catchAlls.has(pattern)) return true;
    const isCatchAll = CATCH_ALL.test(pattern);
    if (isCatchAll && this.#catchAlls.size < MAX_ROUTES) this.#catchAlls.add(pattern);
    return isCatchAll;
  }

  /**
   * Names a tRPC request by its procedures, in place of the last part of its path.
   *
   * @param {string} method
   * @param {string} path
   * @param {string} url
   * @param {ServerResponse} response
   */
  #nameProcedures(method, path, url, response) {
    const procedures = !this.#isShort && isTrpc(path, response) ? readProcedures(url) : undefined;
    if (procedures === undefined) return undefined;
    const named = `${path.slice(0, path.lastIndexOf('/') + 1)}${procedures}`;
    const { statusCode } = response;
    // Answers to any name.
    const isRefused = statusCode === MULTI_STATUS || (statusCode >= 400 && statusCode < 500 && statusCode !== 404);
    if (isRefused && this.#chosen.find(method, named) === undefined) return undefined;
    return this.#nameUnmatched(method, named, response);
  }

  /** @param {string} method @param {string} pattern */
  #nameMatched(method, pattern) {
    return this.#matched.take(method, pattern) ?? OTHER;
  }

  /** @param {string} method @param {string} path folded @param {ServerResponse} response */
  #nameUnmatched(method, path, { headersSent, destroyed, statusCode }) {
    const known = this.#chosen.find(method, path);
    if (known !== undefined) return known;
    if (headersSent && statusCode === 404) return NOT_FOUND;
    // Its status is not known yet.
    if (!headersSent && !destroyed) return nameRoute(method, this.#isShort ? firstSegment(path) : path);
    return this.#chosen.take(method, path) ?? OTHER;
  }

  /** @param {string} url */
  #fold(url) {
    const known = this.#folded.get(url);
    if (known !== undefined) return known;
    const folded = foldIds(url);
    if (url.length > MAX_URL) return folded;
    if (this.#folded.size >= MAX_URLS) this.#folded.clear();
    this.#folded.set(url, folded);
    return folded;
  }
}

/** A limited number of names, by pattern and method. */
class NameTable {
  #max;
  #isShort;
  #count = 0;
  /** @type {Map<string, Map<string, string>>} */
  #names = new Map();

  /** @param {number} max @param {boolean} isShort */
  constructor(max, isShort) {
    this.#max = max;
    this.#isShort = isShort;
  }

  /** @param {string} pattern */
  has(pattern) {
    return this.#names.has(pattern);
  }

  /** @param {string} method @param {string} pattern */
  find(method, pattern) {
    return this.#names.get(pattern)?.get(method);
  }

  /**
   * @param {string} method
   * @param {string} pattern
   * @returns {string | undefined} undefined if there is no place left
   */
  take(method, pattern) {
    const known = this.find(method, pattern);
    if (known !== undefined || this.#count >= this.#max) return known;
    this.#count += 1;
    const name = nameRoute(method, this.#isShort ? firstSegment(pattern) : pattern);
    const byMethod = this.#names.get(pattern);
    if (byMethod) byMethod.set(method, name);
    else this.#names.set(pattern, new Map([[method, name]]));
    return name;
  }
}

/** @param {any} request */
function readBody(request) {
  return request.body ?? readFrameworkBody(request);
}
