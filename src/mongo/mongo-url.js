import { SettingsError } from '../settings.js';

const USER = String.raw`(?:[^:@/?#[\]%]|%[\da-f]{2})+`;
/** A name, an IPv4 address, an IPv6 address in brackets or the encoded path of a socket; then a port. */
const HOST = String.raw`(?:\[[\da-f:.%]+\]|[^\s:@/?#,[\]]+)(?::\d+)?`;
const MONGO_URL = new RegExp(`^mongodb(?:\\+srv)?://(?:${USER}(?::(?:${USER})?)?@)?${HOST}(?:,${HOST})*(?:[/?][^@]*)?$`, 'i');

/**
 * Refuse a connection string before the driver takes a part of the password for a host: it would look that up in the
 * DNS, and name it in its errors.
 *
 * @param {string} url
 * @param {string} [origin] where it was given
 * @throws {SettingsError} that shows nothing of it
 */
export function checkMongoUrl(url, origin = 'MONGO_URL') {
  if (MONGO_URL.test(url)) return;
  throw new SettingsError(`${origin} can't be read: it must be like mongodb://USER:PASSWORD@HOST:PORT/, with special `
    + 'characters percent-encoded, for example @ as %40 and / as %2F');
}
