import { createRequire } from 'node:module';
import net from 'node:net';
import path from 'node:path';
import { threadId } from 'node:worker_threads';
import { listHosts } from './client-sites.js';
import { replaceMethod } from './replace-method.js';

/** @import { AddressInfo, Server } from 'node:net' */
/** @import { Guard } from '../core/event-batch.js' */
/** @import { WatchedClient } from './watched-clients.js' */

const { version } = createRequire(import.meta.url)('../../package.json');

/** What pm2 starts in place of the app. The app's file is in `pm_exec_path`, which the app's own children inherit. */
const PM2_CONTAINER = /^ProcessContainer\w*\.js$/;

export function describeProcess() {
  const {
    pid,
    argv: [, first],
    env: { pm_exec_path: script },
  } = process;
  const file = path.basename(first ?? process.title);
  const command = script && PM2_CONTAINER.test(file) ? path.basename(script) : file;
  return { pid, threadId, node: process.version, command, monitor: version };
}

export function nameProcess() {
  return threadId === 0 ? `process ${process.pid}` : `process ${process.pid}, thread ${threadId}`;
}

/**
 * Sends what is known about this process to another process. Errors are ignored, because that process may have ended.
 *
 * @param {string} url
 * @param {{ pageUrl: string | null | undefined, ports: Set<number>, clients: WatchedClient[],
 *   notWatched: string | null }} facts notWatched: why a client is not watched
 */
export function reportProcess(url, { pageUrl, ports, clients, notWatched }) {
  const body = JSON.stringify({
    ...describeProcess(),
    url: pageUrl,
    ports: [...ports],
    notWatched,
    clients: clients.map(({ client, monitor, replacedMaxPoolSize, isChosen }) => ({
      name: monitor.name,
      hosts: listHosts(client),
      maxPoolSize: client.options.maxPoolSize,
      replacedMaxPoolSize,
      isChosen,
    })),
  });
  const outgoing = process.getBuiltinModule('node:http').request(url, {
    method: 'POST',
    agent: false,
    headers: { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) },
  });
  outgoing.on('error', () => {});
  outgoing.on('response', (response) => response.resume());
  outgoing.on('socket', (socket) => socket.unref());
  outgoing.end(body);
}

/**
 * Watches which ports the app listens on.
 *
 * @param {{ guard: Guard, isOwn: (server: Server) => boolean, onPort: (port: number) => void }} options
 * @returns {() => void} stops watching
 */
export function watchListening({ guard, isOwn, onPort }) {
  return replaceMethod(
    net.Server.prototype,
    'listen',
    (original) =>
      /** @this {Server} */
      function listen() {
        const server = this;
        if (!isOwn(server)) {
          server.once(
            'listening',
            guard(() => {
              const { port } = /** @type {AddressInfo} */ (Object(server.address()));
              if (port !== undefined) onPort(port);
            }),
          );
        }
        return Reflect.apply(original, server, arguments);
      },
  );
}
