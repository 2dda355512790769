/** @import { CheckoutKind, CheckoutPurpose } from './checkout.js' */

/**
 * Who made a checkout, and for what. Records keep this for minutes, but nothing else of a request.
 * @typedef {object} CheckoutName
 * @property {string | null} requestId
 * @property {number | null} request counts up
 * @property {string | null} route read late, because it may still become known
 * @property {string | null} [operation] such as `find users`, where known
 * @property {CheckoutKind | null} [kind]
 *
 * @typedef {string | ((from: any) => string | null) | null} Route a function while it is not known
 */

/**
 * The name of all checkouts of a request, unless their operations are known.
 * @implements {CheckoutName}
 */
export class RequestName {
  #requestId;
  #route;
  #from;

  /**
   * @param {number | null} request
   * @param {Route} route
   * @param {string | null} [requestId] by default made of the number
   * @param {unknown} [from] what to read the route from
   */
  constructor(request, route, requestId = null, from = null) {
    this.request = request;
    this.#requestId = requestId;
    this.#route = route;
    this.#from = from;
  }

  get requestId() {
    return this.#requestId ?? (this.request === null ? null : `r${this.request}`);
  }

  get route() {
    return typeof this.#route === 'function' ? this.#route(this.#from) : this.#route;
  }

  /** Makes the route final, and keeps nothing to read it from. */
  fixRoute() {
    this.#route = this.route;
    this.#from = null;
  }
}

/** The name of one operation. @implements {CheckoutName} */
export class OperationName {
  #name;

  /** @param {RequestName} name @param {CheckoutPurpose} purpose */
  constructor(name, { operation = null, kind = null }) {
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

export const UNKNOWN = new RequestName(null, null);
