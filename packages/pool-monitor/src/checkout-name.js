/** @import { CheckoutKind } from './checkout.js' */

/**
 * Who made a checkout, and what for. Records keep this for minutes, and nothing else of a request.
 * @typedef {object} CheckoutName
 * @property {string | null} requestId
 * @property {number | null} request counts up
 * @property {string | null} route read late: it may still become known
 * @property {string | null} operation such as `find users`, where known
 * @property {CheckoutKind | null} kind
 *
 * @typedef {string | (() => string | null) | null} Route a function if it is not known yet
 */

/** The name of all checkouts of a request, unless their operations are known. @implements {CheckoutName} */
export class RequestName {
  operation = null;
  kind = null;
  #route;

  /** @param {string | null} requestId @param {number | null} request @param {Route} route */
  constructor(requestId, request, route) {
    this.requestId = requestId;
    this.request = request;
    this.#route = route;
  }

  get route() {
    return typeof this.#route === 'function' ? this.#route() : this.#route;
  }

  /** From now on the route is what it is now. */
  settle() {
    this.#route = this.route;
  }
}

/** The name of one operation. @implements {CheckoutName} */
export class OperationName {
  #name;

  /** @param {RequestName} name @param {string | null} operation @param {CheckoutKind | null} kind */
  constructor(name, operation, kind) {
    this.#name = name;
    this.operation = operation;
    this.kind = kind;
  }

  get requestId() {
    return this.#name.requestId;
  }

  get request() {
    return this.#name.request;
  }

  get route() {
    return this.#name.route;
  }
}

export const UNKNOWN = new RequestName(null, null, null);
