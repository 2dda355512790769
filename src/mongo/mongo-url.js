import { SettingsError } from '../settings.js';

const USER = String.raw`(?:[^:@/?#[\]%]|%[\da-f]{2})+`;
/** A name, an IPv4 address, an IPv6 address in brackets or the encoded path of a socket, then a port. */
const HOST = String.raw`(?:\[[\da-f:.%]+\]|[^\s:@/?#,[\]]+)(?::\d+)?`;
const MONGO_URL = new RegExp(`^mongodb(?:\\+srv)?://(?:${USER}(?::(?:${USER})?)?@)?${HOST}(?:,${HOST})*(?:[/?][^@]*)?$`, 'i');

/**
 * Reject a malformed connection string before the driver mistakes a part of the password for a host. It would look that
 * part up in the DNS and quote it in errors.
 * @param {string} url
 * @param {string} [origin] setting or option that the URL came from
 * @throws {SettingsError} that quotes nothing of the URL
 */
export function checkMongoUrl(url, origin = 'MONGO_URL') {
  if (MONGO_URL.test(url)) return;
  throw new SettingsError(`${origin} is not a connection string. Write it like mongodb://USER:PASSWORD@HOST:PORT/, and `
    + 'percent-encode special characters, for example @ as %40 and / as %2F.');
}
