/**
 * @import { Checkouts, ClientSite, EndedRequest, PoolMonitor, RequestLog } from 'mongodb-pool-monitor'
 * @import { DatabaseStatus, KnownQuery } from '../universal/feed-shapes.js'
 *
 * @typedef {object} WatchedPool a tunnel of the page: a client, and those that it replaced while they finish their work
 * @property {string | null} name of its monitors
 * @property {PoolMonitor[]} monitors the current one last
 * @property {ClientSettings} settings of the current one
 *
 * @typedef {object} ClientSettings
 * @property {number} poolSize
 * @property {number} minPoolSize
 * @property {number} maxConnecting
 * @property {number} waitQueueTimeoutMs
 *
 * @typedef {{ atMs: number, cores: number | null, cpuMs: number | null, version?: string | null, ticketsOut?: number |
 *   null, ticketsTotal?: number | null, queued?: number | null, connectionLimit?: number | null }} ServerLoad atMs by
 *   performance.now(); cpuMs: the CPU time that the server has used; the rest as in ServerStatusLoad of
 *   mongodb-pool-monitor
 *
 * @typedef {object} LiveSource what a live view shows
 * @property {() => WatchedPool[]} listPools the first is the main one; empty before the first client
 * @property {Pick<Checkouts, 'list' | 'listOpen' | 'lastId' | 'countForgotten' | 'events'>} checkouts
 * @property {object} requests
 * @property {(listener: (request: EndedRequest) => void) => unknown} requests.onEnd
 * @property {Pick<RequestLog, 'list' | 'lastId' | 'countForgotten'>} requests.log
 * @property {() => { kind: 'sample', valuesMs: number[] } | undefined} requests.sampleOverhead what responses take
 *   beyond waits and uses, in the simulator's format
 * @property {() => DatabaseStatus} readStatus
 * @property {() => ClientSite[]} [listClientSites] clients by the line that created them, also those that were closed
 * @property {() => { features?: object, settings?: object } & Record<string, unknown>} about more fields of `GET /pool`
 * @property {() => Promise<ServerLoad>} [readServerLoad] without it the page has no toll booths
 * @property {() => Record<string, KnownQuery>} [listQueries] by route; without it the page learns how long they take
 * @property {(send: (event: string, data: unknown) => void) => void} [onReader] sends more first events to a new reader
 * @property {(error: unknown) => void} [onError] gets what goes wrong in the live view itself; without it, it throws
 */

export {};
