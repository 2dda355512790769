import { networkInterfaces } from 'node:os';

/** Hosts that stand for all addresses of this machine. */
const EVERYWHERE = ['0.0.0.0', '::'];

/** @param {string} host that a class listens on @returns {string[]} what others can type to reach it, for a URL */
export function listAddresses(host) {
  if (!EVERYWHERE.includes(host)) return [bracket(host)];
  const all = Object.values(networkInterfaces()).flatMap((addresses = []) => (
    addresses.filter(({ family, internal }) => family === 'IPv4' && !internal).map(({ address }) => address)));
  return all.length > 0 ? all : ['127.0.0.1'];
}

/** The address under which the teacher's own laptop reaches it. @param {string} host */
export function ownAddress(host) {
  return EVERYWHERE.includes(host) ? '127.0.0.1' : bracket(host);
}

/** @param {string} host */
function bracket(host) {
  return host.includes(':') ? `[${host}]` : host;
}
