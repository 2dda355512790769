import net from 'node:net';
import { replaceMethod } from './replace-method.js';

/** @import { AddressInfo, Server } from 'node:net' */
/** @import { Guard } from './guard.js' */

/**
 * The ports that the app listens on.
 *
 * @param {{ guard: Guard, isOwn: (server: Server) => boolean, onPort: (port: number) => void }} options
 * @returns {() => void} stops watching
 */
export function watchListening({ guard, isOwn, onPort }) {
  return replaceMethod(net.Server.prototype, 'listen', (original) => (
    /** @this {Server} */
    function listen() {
      const server = this;
      if (!isOwn(server)) {
        server.once('listening', guard(() => {
          const { port } = /** @type {AddressInfo} */ (Object(server.address()));
          if (port !== undefined) onPort(port);
        }));
      }
      return Reflect.apply(original, server, arguments);
    }));
}
