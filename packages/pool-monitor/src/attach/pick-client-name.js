import { OPTION_DEFAULTS } from '../core/describe-client.js';
import { listHosts } from './client-sites.js';

/** @import { MongoClient } from 'mongodb' */

/** The driver's, for a URI without one. It tells clients apart no better than nothing. */
const DEFAULT_DATABASE = 'test';
/** Names are kept for good, such as in metrics. An app with more, such as one for each tenant, has names by place. */
const MAX_NAMES = 200;

/**
 * @typedef {object} NamedClient
 * @property {string} name
 * @property {readonly string[]} facts what it is like, in a fixed order; empty where it says nothing
 * @property {number} number 1, or more where open clients are alike in everything
 * @property {(name: string) => void} onName gets each new name
 *
 * @typedef {object} NameGroup the clients that their app calls the same
 * @property {Map<string, readonly string[]>} kinds the facts of each kind of client that was open since all were closed
 * @property {Set<NamedClient>} open
 */

/**
 * Names the open clients of a process.
 *
 * A client is called by its `appName`, else by its database, else by the place that created it, else by its hosts.
 * Where different clients are called the same, each name also has the facts that tell them apart, such as `shop
 * maxPoolSize=5`. So the same client has the same name in each process of a cluster and after a restart, whichever
 * connects first. Only clients that are alike in everything get numbers, in the order in which they are found.
 */
export class ClientNames {
  /** By what the app calls its clients. @type {Map<string, NameGroup>} */
  #groups = new Map();
  /** All names so far. @type {Set<string>} */
  #used = new Set();

  /**
   * @param {MongoClient} client
   * @param {string | null} place that created it, such as `src/db.js:12`
   * @param {(name: string) => void} onName gets its name, now and when a client comes that has to be told from it
   * @returns {{ isCalled: (text: string) => boolean, leave: () => void }} isCalled: whether a text is its name, alone
   *   or beside any other clients; leave: call it when the client is closed
   */
  give(client, place, onName) {
    const base = this.#pickBase(client, place);
    const group = this.#groups.get(base) ?? { kinds: new Map(), open: new Set() };
    this.#groups.set(base, group);
    const [first = listFacts(client, place)] = this.#used.size < MAX_NAMES ? [] : group.kinds.values();
    const named = { name: '', facts: first, number: findNumber(group, first), onName };
    group.kinds.set(keyOf(first), first);
    group.open.add(named);
    this.#rename(base, group);
    return {
      isCalled: (text) => describesClient(text, base, first),
      leave: () => {
        group.open.delete(named);
        if (group.open.size === 0 && this.#groups.get(base) === group) this.#groups.delete(base);
      },
    };
  }

  /** @param {MongoClient} client @param {string | null} place */
  #pickBase(client, place) {
    const { appName, dbName } = client.options;
    const own = [appName, dbName === DEFAULT_DATABASE ? null : dbName].filter(
      (name) => this.#used.size < MAX_NAMES || this.#used.has(String(name)),
    );
    return [...own, place, listHosts(client).join(',')].find(isText) ?? 'client';
  }

  /** @param {string} base @param {NameGroup} group */
  #rename(base, { kinds, open }) {
    const columns = pickColumns([...kinds.values()]);
    for (const named of open) {
      const words = [base, ...columns.map((column) => named.facts[column])].filter(Boolean);
      const name = `${words.join(' ')}${named.number > 1 ? ` (${named.number})` : ''}`;
      if (name === named.name) continue;
      named.name = name;
      this.#used.add(name);
      named.onName(name);
    }
  }
}

/**
 * What tells a client from others, with the most telling first. An attached monitor knows all but the place.
 * @param {any} client
 * @param {string | null} place
 * @returns {string[]}
 */
function listFacts(client, place) {
  const { options } = client;
  const { dbName = '', readPreference } = options;
  return [
    dbName,
    listHosts(client).join(','),
    readPreference?.mode ?? '',
    ...Object.keys(OPTION_DEFAULTS).map((name) => (name in options ? `${name}=${options[name]}` : '')),
    place ?? '',
  ];
}

/**
 * Picks the facts that tell all kinds apart, as few as a look at each in turn finds.
 * @param {(readonly string[])[]} kinds
 * @returns {number[]} their columns
 */
function pickColumns(kinds) {
  /** @type {number[]} */
  const picked = [];
  let told = 1;
  for (const column of kinds[0].keys()) {
    const keys = new Set(kinds.map((facts) => keyOf([...picked, column].map((each) => facts[each]))));
    if (keys.size > told) picked.push(column);
    told = keys.size;
  }
  return picked;
}

/**
 * Whether a text has the name that an app gives a client, and then facts of it, in their order.
 * @param {string} text
 * @param {string} base
 * @param {readonly string[]} facts
 */
function describesClient(text, base, facts) {
  let rest = text;
  for (const part of [base, ...facts]) if (`${rest} `.startsWith(`${part} `)) rest = rest.slice(part.length + 1);
  return rest === '' && `${text} `.startsWith(`${base} `);
}

/** @param {NameGroup} group @param {readonly string[]} facts */
function findNumber({ open }, facts) {
  const key = keyOf(facts);
  const taken = new Set([...open].flatMap((each) => (keyOf(each.facts) === key ? [each.number] : [])));
  let number = 1;
  while (taken.has(number)) number += 1;
  return number;
}

/** @param {readonly string[]} facts */
function keyOf(facts) {
  return JSON.stringify(facts);
}

/** @param {string | null | undefined} name @returns {name is string} */
function isText(name) {
  return Boolean(name);
}
