/**
 * @typedef {object} Filter databases, or collections as `db.collection`
 * @property {string[]} [include] default: all
 * @property {string[]} [exclude]
 *
 * @typedef {ReturnType<typeof createNamespaces>} Namespaces
 *
 * @typedef {object} Constraints of a collection
 * @property {boolean} inOrder whether one worker has to write all documents, because their order matters
 * @property {boolean} isCapped
 * @property {boolean} isValidated whether the collection has a validator
 *
 * @typedef {object} Namespace
 * @property {string} name `db.collection`
 * @property {string} database
 * @property {string} collection
 * @property {number} number from 0, in the order in which they were seen
 * @property {'excluded' | 'internal' | 'unsupported' | null} skipped why it is not replicated: the filter excludes it;
 *   only its server needs it; or the replicator can't. null: it is replicated
 * @property {boolean} isTemporary whether a command fills it, and then renames it to its real name
 * @property {Constraints | null} constraints null until they are read
 */

/** Stores the checkpoints. Never replicated: a source may itself be the target of another replication. */
export const CHECKPOINT_DATABASE = 'pool_lab_replication';

/** The names that $out, mapReduce, convertToCapped, and renaming to another database use. */
const TEMPORARY = /^tmp(\.agg_out\.|\.mr\.|.{5}\.convertToCapped\.|.{5}\.renameCollection)/;

const INTERNAL_DATABASES = new Set(['admin', 'config', 'local', CHECKPOINT_DATABASE]);
const USERS_AND_ROLES = ['admin.system.users', 'admin.system.roles'];
/** Describes the views and time series of its database. */
const VIEWS = 'system.views';
const BUCKETS = /^system\.buckets\./;

/**
 * @param {Filter} one
 * @param {Filter} other
 * @returns {boolean} whether a collection may belong to both
 */
export function overlap(one, other) {
  const excluded = [...(one.exclude ?? []), ...(other.exclude ?? [])];
  return (one.include ?? [ALL]).some((name) =>
    (other.include ?? [ALL]).some((otherName) => {
      const common = intersect(name, otherName);
      return common !== null && !excluded.some((each) => intersect(common, each) === common);
    }),
  );
}

const ALL = '*';

/** @param {string} one @param {string} other @returns {string | null} the narrower one; null: nothing is in both */
function intersect(one, other) {
  const isIn = (/** @type {string} */ inner, /** @type {string} */ outer) =>
    outer === ALL || inner === outer || inner.slice(0, inner.indexOf('.')) === outer;
  if (isIn(one, other)) return one;
  return isIn(other, one) ? other : null;
}

/**
 * The namespaces seen so far.
 * @param {Filter} [filter]
 */
export function createNamespaces({ include, exclude = [] } = {}) {
  /** Namespaces by their bytes, because decoding UTF-8 for each entry would be slow. @type {Map<string, Namespace>} */
  const known = new Map();
  /** @type {Map<string, Namespace>} */
  const byName = new Map();

  /** @param {string} database @returns {boolean} whether some of its collections may be replicated */
  function mayReplicate(database) {
    const isIncluded = include?.some((one) => one === database || one.startsWith(`${database}.`)) ?? true;
    return isIncluded && !INTERNAL_DATABASES.has(database) && !exclude.includes(database);
  }

  /** @param {string} database @param {string} collection @returns {Namespace['skipped']} */
  function whySkipped(database, collection) {
    const name = `${database}.${collection.replace(BUCKETS, '')}`;
    const excludes = exclude.includes(database) || exclude.includes(name);
    const isExcluded = excludes || (include ? !include.includes(database) && !include.includes(name) : false);
    if (USERS_AND_ROLES.includes(name)) return isExcluded ? 'excluded' : 'unsupported';
    if (INTERNAL_DATABASES.has(database)) return 'internal';
    // Only the later rename shows which collection of the database it will replace.
    if (TEMPORARY.test(collection)) return mayReplicate(database) ? null : 'excluded';
    if (collection === VIEWS) return mayReplicate(database) ? 'unsupported' : 'excluded';
    if (isExcluded) return 'excluded';
    return collection.startsWith('system.') ? 'unsupported' : null;
  }

  /** @param {string} name */
  function named(name) {
    let namespace = byName.get(name);
    if (!namespace) {
      const dot = name.indexOf('.');
      const [database, collection] = dot < 0 ? [name, ''] : [name.slice(0, dot), name.slice(dot + 1)];
      namespace = {
        name,
        database,
        collection,
        number: byName.size,
        skipped: whySkipped(database, collection),
        isTemporary: TEMPORARY.test(collection),
        constraints: null,
      };
      byName.set(name, namespace);
    }
    return namespace;
  }

  return {
    named,
    mayReplicate,

    /**
     * @param {Buffer} bytes
     * @param {number} at
     * @param {number} length
     * @returns {Namespace}
     */
    at(bytes, at, length) {
      const key = bytes.toString('latin1', at, at + length);
      let namespace = known.get(key);
      if (!namespace) {
        namespace = named(bytes.toString('utf8', at, at + length));
        known.set(key, namespace);
      }
      return namespace;
    },

    /** @param {string} database @param {string} [collection] default: all of the database */
    forgetConstraints(database, collection) {
      for (const namespace of byName.values()) {
        if (namespace.database === database && (!collection || namespace.collection === collection)) {
          namespace.constraints = null;
        }
      }
    },
  };
}
