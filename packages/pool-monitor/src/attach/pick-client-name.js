/** @import { MongoClient } from 'mongodb' */

/** The driver's, for a URI without one. It tells clients apart no better than nothing. */
const DEFAULT_DATABASE = 'test';
/** Names are kept for good, such as in metrics. An app with more, such as one for each tenant, has names by place. */
const MAX_NAMES = 200;

/**
 * Names a client by what its app calls it, else by its database, else by the place that created it, else by its hosts.
 * The same client has the same name in each process of a cluster, and after a restart.
 *
 * @param {MongoClient} client
 * @param {{ taken: Set<string | null>, used: Set<string>, place: string | null }} known taken: names of open clients;
 *   used: those of all clients so far, to which the name is added
 * @returns {string} not taken
 */
export function pickClientName(client, { taken, used, place }) {
  const { appName, dbName, hosts } = client.options;
  const own = [appName, dbName === DEFAULT_DATABASE ? null : dbName].filter(
    (name) => used.size < MAX_NAMES || used.has(String(name)),
  );
  const names = [...own, place, Array.from(hosts ?? [], String).join(',')].filter(isText);
  const name = names.find((each) => !taken.has(each)) ?? addNumber(names[0] ?? 'client', taken);
  used.add(name);
  return name;
}

/** @param {string} name @param {Set<string | null>} taken */
function addNumber(name, taken) {
  let number = 2;
  while (taken.has(`${name} (${number})`)) number += 1;
  return `${name} (${number})`;
}

/** @param {string | null | undefined} name @returns {name is string} */
function isText(name) {
  return Boolean(name);
}
