import type { Collection, Document, InsertOneResult, MongoClient, OptionalUnlessRequiredId } from 'mongodb';

/**
 * Makes a writer for many callers that insert one document each, at the same time, into one collection: it sends those
 * of the moment in one insertMany and still answers each caller for its own document.
 *
 * - A call that meets an idle writer is sent at once, without a timer. Calls that come while an insertMany is under way
 *   make up the next; one at a time is under way.
 * - A document that is refused (duplicate key, validation, size) fails its own caller alone, with the error that
 *   insertOne gives: it is sent a second time, by itself, and stored should what stood in its way be gone by then.
 * - Documents are stored in the order of the calls, on a sharded cluster within each shard; one that was refused at
 *   first comes later.
 * - Where no answer comes even after the driver's retry, callers get an OutcomeUnknownError. Where documents are stored
 *   but the write concern is not met, their callers get the driver's error.
 * - A document must not be changed before the answer is there.
 *
 * @throws RangeError if an option is not a number from 1
 */
export function gatherInserts<Schema extends Document>(
  collection: Collection<Schema>, options?: GatherInsertsOptions,
): InsertGatherer<Schema>;

export interface GatherInsertsOptions {
  /** Most documents of one insertMany; 1000 unless told. */
  maxBatch?: number;
  /** Documents without an answer at which `ready` begins to wait; 10 000 unless told. */
  maxPending?: number;
}

export interface InsertGatherer<Schema extends Document> {
  /** Gives what insertOne would; a document without an _id gets one. */
  insert(document: OptionalUnlessRequiredId<Schema>): Promise<InsertOneResult<Schema>>;
  /** For callers that don't wait for answers: wait until fewer than `maxPending` documents are without one. */
  ready(): Promise<void>;
  /** Take no more documents, and wait until all have their answer. The client stays open. */
  close(): Promise<void>;
}

/** The document may be stored or not; `cause` is the driver's error. */
export class OutcomeUnknownError extends Error {
  constructor(cause: Error);
}

/**
 * Watches the connection pools of a MongoClient through the driver's events alone: no I/O, no timers.
 *
 * Attach it before the client connects. Attached later it is right from then on for all it has seen: a connection
 * opened earlier counts once it is checked out or returned, and callers already waiting are never counted.
 * @param options.record gets each checkout as it ends, in the order in which connections were given back
 */
export function monitorPool(client: MongoClient, options?: { record?: { write(checkout: Checkout): void } }): PoolMonitor;

/**
 * Writes checkouts to a new file as they end, one JSON object a line, for `pool-lab predict` and `advise` to replay. It
 * never waits, never takes more than `maxBytes` of disk and little memory; whole lines are written, so an interruption
 * costs the last one at most.
 * @param options.maxBytes 100 MiB unless told
 * @param options.header further facts for the first line, such as maxPoolSize
 * @param options.onFull called once, when the file has reached its bound
 * @throws when the file is there already, or can't be made
 */
export function createTraceWriter(file: string, options?: {
  maxBytes?: number;
  header?: Record<string, unknown>;
  onFull?: () => void;
}): Promise<TraceWriter>;

export interface TraceWriter {
  write(checkout: Pick<Checkout, 'askedAtMs' | 'gotAtMs' | 'returnedAtMs'> & { route?: string; hasFailed?: boolean }): void;
  /**
   * failed: of the checkouts, those whose operation failed; dropped: for want of room, or of speed.
   * @throws when the disk did not take it all
   */
  close(): Promise<{ checkouts: number; failed: number; dropped: number; isFull: boolean }>;
}

export interface PoolMonitor {
  /**
   * Plain JSON, by host:port and over all servers. In the totals, idle connections count only on servers that new
   * queries go to, and peaks are sums of the servers' peaks.
   */
  snapshot(): { servers: Record<string, PoolSnapshot>; totals: PoolSnapshot };
  /**
   * Calls the listener within each event, so it must be quick and must not throw.
   * @returns the function that ends the subscription
   */
  subscribe(listener: (event: PoolEvent) => void): () => void;
  /** Detaches from the client; the last snapshot stays readable. */
  close(): void;
}

/** Gauges of now, counters and summaries of the lifetime. */
export interface PoolSnapshot {
  /** Most connections there may be to the servers that new queries go to; 0 means no limit. */
  max: number;
  min: number;
  /** idle + active + connecting; at most max + retiring */
  total: number;
  idle: number;
  /** Checked out. */
  active: number;
  /** Being opened. */
  connecting: number;
  /** Callers that wait for a connection, those included for whom one is being opened. */
  waiting: number;
  /** Of the total, those that finish their work on a server that no new query goes to, as after a failover. */
  retiring: number;
  peakActive: number;
  peakWaiting: number;
  checkedOut: number;
  /**
   * Uses of a connection in which an operation failed. The driver tells of those that broke their connection (a lost
   * server, an abort), and with `monitorCommands` of all.
   */
  operationsFailed: number;
  /** By reason: timeout, connectionError, poolClosed. */
  checkOutFailed: Record<string, number>;
  created: number;
  /**
   * By reason: idle, stale, error, poolClosed, and abandoned for a connection that the driver threw away in silence;
   * created minus all closed is total.
   */
  closed: Record<string, number>;
  cleared: number;
  /** From the question to the connection, connecting included. */
  wait: DurationSummary;
  /** From the connection to its return, also where the operation failed. */
  use: DurationSummary;
  /** Opening a connection, handshake included. */
  connect: DurationSummary;
}

export interface DurationSummary {
  count: number;
  sumMs: number;
  /** Null while count is 0. */
  p50Ms: number | null;
  p95Ms: number | null;
  p99Ms: number | null;
  maxMs: number | null;
}

/** Times are milliseconds of `performance.now()`. */
export interface PoolEvent {
  /**
   * A waiter is `gone` when it is found to have left the queue without an event: its AbortSignal fired.
   * `operationFailed` comes before `returned`, or right after it.
   */
  type: 'asked' | 'got' | 'failed' | 'gone' | 'returned' | 'operationFailed' | 'opened' | 'closed';
  atMs: number;
  /** host:port */
  server: string;
  checkout: Checkout | null;
  connection: Connection | null;
  /** Why a checkout failed or a connection closed. */
  reason: string | null;
  /** The wait of `got` and `failed`, the use of `returned`, the connect time of `opened`; else NaN. */
  durationMs: number;
}

/** NaN stands for what has not happened yet. */
export interface Checkout {
  server: string;
  askedAtMs: number;
  gotAtMs: number;
  returnedAtMs: number;
  /** Whether what the connection was used for has failed, as far as the driver tells. */
  hasFailed: boolean;
}

export interface Connection {
  /** The driver's; counts from 1 in each pool. */
  id: number;
  state: 'connecting' | 'idle' | 'active';
  sinceMs: number;
}
