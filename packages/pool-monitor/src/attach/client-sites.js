import { findPlace } from './find-place.js';

/** @import { MongoClient } from 'mongodb' */
/** @import { ClientSite } from '../core/describe-client.js' */
/** @import { Guard } from '../core/event-batch.js' */

/**
 * @typedef {ClientSite & { marks: { atMs: number, created: number, closed: number }[], onCreated: () => void,
 *   onClosed: () => void }} WatchedSite marks: the counts before changes of the last minute
 */

/** An app with more has a server for each tenant, and not many clients of one server. */
const MAX_SITES = 100;
/** Place of a client in whose stack there is no code of the app. */
const UNKNOWN = 'a library';
const RECENT_MS = 60_000;
const MARK_EVERY_MS = 1000;

/** Counts clients by the line that created them. It keeps none, so its memory does not grow with their number. */
export class ClientSites {
  #guard;
  #now;
  /** @type {WeakMap<MongoClient, string | null>} */
  #places = new WeakMap();
  /** @type {WeakMap<MongoClient, { site: WatchedSite, isOpen: boolean, leave: () => void }>} */
  #clients = new WeakMap();
  /** @type {Map<string, WatchedSite>} */
  #sites = new Map();

  /** @param {Guard} guard @param {() => number} [now] replaces performance.now() in tests */
  constructor(guard, now = () => performance.now()) {
    this.#guard = guard;
    this.#now = now;
  }

  /** Notes the line that is running. @param {MongoClient} client that is being created */
  noteCreated(client) {
    if (!this.#places.has(client)) this.#places.set(client, findPlace() ?? null);
  }

  /** @param {MongoClient} client @returns {string | null} the line that created it, or else that connects it */
  placeOf(client) {
    // A client that has connected may be in use anywhere.
    if (!(/** @type {any} */ (client).topology)) this.noteCreated(client);
    return this.#places.get(client) ?? null;
  }

  /**
   * Counts a client that is about to connect, or has.
   * @param {MongoClient} client
   * @returns {boolean} whether it was closed, or is new
   */
  add(client) {
    const known = this.#clients.get(client);
    if (known?.isOpen) return false;
    if (known) {
      this.#mark(known.site);
      known.isOpen = true;
      known.site.closed -= 1;
      return true;
    }
    const site = this.#siteOf(client);
    if (!site) return true;
    this.#mark(site);
    site.created += 1;
    for (const { pool } of /** @type {any} */ (client).topology?.s?.servers?.values() ?? [])
      site.connections += pool?.totalConnectionCount ?? 0;
    const onClosed = this.#guard(() => this.#close(client));
    client.on('connectionCreated', site.onCreated).on('connectionClosed', site.onClosed).on('topologyClosed', onClosed);
    const leave = () =>
      client
        .off('connectionCreated', site.onCreated)
        .off('connectionClosed', site.onClosed)
        .off('topologyClosed', onClosed);
    this.#clients.set(client, { site, isOpen: true, leave });
    return true;
  }

  /** Listens to a client no longer. @param {MongoClient} client */
  forget(client) {
    this.#clients.get(client)?.leave();
  }

  /** @returns {ClientSite[]} */
  list() {
    const sinceMs = this.#now() - RECENT_MS;
    return [...this.#sites.values()].map(({ place, hosts, created, closed, connections, marks }) => {
      const { created: before, closed: closedBefore } = marks.find(({ atMs }) => atMs >= sinceMs) ?? {
        created,
        closed,
      };
      return { place, hosts, created, closed, connections, minuteAgo: { created: before, closed: closedBefore } };
    });
  }

  /** @param {MongoClient} client @returns {WatchedSite | undefined} undefined if there are too many */
  #siteOf(client) {
    const { topology } = /** @type {any} */ (client);
    const place = this.placeOf(client) ?? (topology ? null : UNKNOWN);
    const hosts = listHosts(client).join();
    const key = JSON.stringify([place, hosts]);
    const found = this.#sites.get(key);
    if (found || this.#sites.size >= MAX_SITES) return found;
    /** @type {WatchedSite} */
    const site = {
      ...{ place, hosts, created: 0, closed: 0, connections: 0, minuteAgo: { created: 0, closed: 0 }, marks: [] },
      onCreated: this.#guard(() => void (site.connections += 1)),
      onClosed: this.#guard(() => void (site.connections -= 1)),
    };
    this.#sites.set(key, site);
    return site;
  }

  /** @param {MongoClient} client */
  #close(client) {
    const known = this.#clients.get(client);
    if (!known?.isOpen) return;
    this.#mark(known.site);
    known.isOpen = false;
    known.site.closed += 1;
  }

  /** Notes the counts before they change. @param {WatchedSite} site */
  #mark({ created, closed, marks }) {
    const atMs = this.#now();
    if (atMs - (marks.at(-1)?.atMs ?? -Infinity) < MARK_EVERY_MS) return;
    const old = marks.findIndex((mark) => mark.atMs >= atMs - RECENT_MS);
    marks.splice(0, old === -1 ? marks.length : old);
    marks.push({ atMs, created, closed });
  }
}

/** @param {any} client @returns {string[]} */
export function listHosts({ options: { hosts, srvHost } }) {
  return srvHost ? [String(srvHost)] : Array.from(hosts ?? [], String);
}
