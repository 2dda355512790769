import { MongoClient, MongoServerSelectionError } from 'mongodb';
import { readCursorBatch, decodeDocument } from '../bson/decode.js';
import { DeploymentError, NoAnswerError } from './errors.js';

/** @import { ClientSession, Document, MongoClientOptions } from 'mongodb' */

/** How long `close` waits for the driver, which first ends its sessions on the server. */
const MAX_CLOSE_MS = 2000;

/** The only @ follows user and password. With another one, the driver would look up part of the password as a host. */
const ENCODED_LOGIN = /^[^/@]*:\/\/[^/@?#]*@[^@]*$/;

/**
 * @typedef {object} DeploymentOptions
 * @property {'source' | 'target'} role
 * @property {number} maxSilenceMs how long to wait for an answer
 * @property {MongoClientOptions} [driver]
 */

/** The replica set or cluster that is a source or the target. */
export class Deployment {
  #client;
  #maxSilenceMs;
  /** Why the driver can't reach the server. @type {string | undefined} */
  #problem;

  /** @param {string} url connection string @param {DeploymentOptions} options @throws {Error} when it is invalid */
  constructor(url, { role, maxSilenceMs, driver }) {
    if (url.includes('@') && !ENCODED_LOGIN.test(url)) {
      throw new Error(
        `the connection string of the ${role} can't be read: percent-encode special characters in its user ` +
          'and password, for example @ as %40 and / as %2F',
      );
    }
    try {
      // The driver's monitor waits this long too, and until then `close` leaves connections open.
      const defaults = { appName: 'mongodb-pool-lab', connectTimeoutMS: maxSilenceMs };
      const unsaid = Object.entries(defaults).filter(([name]) => !new RegExp(`[?&]${name}=`, 'i').test(url));
      this.#client = new MongoClient(url, { ...Object.fromEntries(unsaid), ...driver });
    } catch (cause) {
      const { message } = /** @type {Error} */ (cause);
      throw new Error(`the driver refuses the connection string of the ${role}: ${message}`, { cause });
    }
    const { hosts, srvHost } = this.options;
    /** Role and hosts, without credentials, for messages. */
    this.name = `the ${role} ${srvHost ?? hosts.join(',')}`;
    this.#maxSilenceMs = maxSilenceMs;
    this.#client.on('serverDescriptionChanged', ({ newDescription: { error } }) => {
      this.#problem = error?.message;
    });
  }

  get options() {
    return this.#client.options;
  }

  get maxSilenceMs() {
    return this.#maxSilenceMs;
  }

  /** @returns {ClientSession} for the commands of one cursor */
  startSession() {
    return this.#client.startSession({ causalConsistency: false });
  }

  /** @returns {Promise<Document>} the primary's answer to `hello` */
  reach() {
    return this.command('admin', { hello: 1 });
  }

  /**
   * Every command ends. The driver alone would wait forever on a connection that has gone silent, and on one that
   * closes while a command is being written.
   *
   * @param {string} database
   * @param {Document} command
   * @param {object} [options]
   * @param {ClientSession} [options.session]
   * @param {boolean} [options.raw] leaves inner documents as bytes
   * @param {AbortSignal} [options.signal]
   * @param {() => Promise<boolean>} [options.isRunning] asked when there is no answer in time: whether the server is
   *   still executing the command
   * @returns {Promise<Document>} the answer
   * @throws {DeploymentError}
   */
  async command(database, command, { isRunning = async () => false, signal, ...options } = {}) {
    const ending = new AbortController();
    const end = () => ending.abort(signal?.reason);
    /** @type {NodeJS.Timeout | undefined} */
    let timer;
    const check = async () => {
      const isSilent = !(await isRunning().catch(() => false));
      if (isSilent) ending.abort(new NoAnswerError(this.#maxSilenceMs, this.#problem));
      else if (timer) wait();
    };
    const wait = () => {
      timer = setTimeout(check, this.#maxSilenceMs);
    };
    wait();
    signal?.addEventListener('abort', end);
    try {
      return await this.#client.db(database).command(command, { ...options, signal: ending.signal });
    } catch (cause) {
      throw this.explain(ending.signal.reason ?? cause);
    } finally {
      clearTimeout(timer);
      timer = undefined;
      signal?.removeEventListener('abort', end);
    }
  }

  /**
   * @param {string} database
   * @param {Document} command whose answer is a cursor; one batch must hold everything
   * @returns {Promise<Document[]>}
   */
  async list(database, command) {
    return (await this.command(database, command)).cursor.firstBatch;
  }

  /**
   * Reads a cursor to its end, without parsing the documents.
   *
   * @param {string} database
   * @param {Document} command `find`, `aggregate`, `listCollections` or `listIndexes`
   * @param {object} [options]
   * @param {number} [options.batchSize] of the batches after the first one; default: what fits into 16 MB
   * @returns {AsyncGenerator<{ bytes: Buffer, starts: number[] }, void>} where each document of a batch begins
   */
  async *read(database, command, { batchSize } = {}) {
    const [[name, value]] = Object.entries(command);
    const collection = name === 'listCollections' ? '$cmd.listCollections' : value;
    const session = this.startSession();
    let cursorId = 0n;
    try {
      for (let next = command; ; next = { getMore: cursorId, collection, ...(batchSize && { batchSize }) }) {
        const { cursor: bytes } = await this.command(database, next, { session, raw: true });
        const batch = readCursorBatch(bytes, 0);
        cursorId = batch.cursorId;
        yield { bytes, starts: batch.starts };
        if (cursorId === 0n) return;
      }
    } finally {
      if (cursorId !== 0n) {
        await this.command(database, { killCursors: collection, cursors: [cursorId] }, { session }).catch(() => {});
      }
      await session.endSession();
    }
  }

  /**
   * @param {string} database
   * @param {Document} command as for `read`
   * @returns {Promise<Record<string, any>[]>} the documents, with their types and the order of their fields kept
   */
  async readAll(database, command) {
    const found = [];
    for await (const { bytes, starts } of this.read(database, command)) {
      for (const start of starts) found.push(decodeDocument(bytes, start));
    }
    return found;
  }

  /** @param {unknown} cause @returns {DeploymentError} an error that names this deployment */
  explain(cause) {
    const { message } = /** @type {Error} */ (cause);
    const { serverSelectionTimeoutMS } = this.options;
    return new DeploymentError(
      this.name,
      cause instanceof MongoServerSelectionError
        ? `no MongoDB was found within ${serverSelectionTimeoutMS} ms: ${message}`
        : message,
      cause,
    );
  }

  /** Resolves even if the server no longer answers. */
  async close() {
    /** @type {NodeJS.Timeout | undefined} */
    let timer;
    const timeout = new Promise((resolve) => {
      timer = setTimeout(resolve, MAX_CLOSE_MS);
    });
    await Promise.race([this.#client.close(), timeout]);
    clearTimeout(timer);
  }
}
