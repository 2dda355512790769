import { fileURLToPath } from 'node:url';
import { MongoClient } from 'mongodb';
import { cleanUp, startMongod } from 'test-support/cleanup.js';

/** The certificate of the CA. */
/**
 * Files for tests alone: an authority and a certificate for 127.0.0.1 and localhost that it signed, both valid for a
 * hundred years. The authority's key was thrown away.
 */
const CA_FILE = fileURLToPath(new URL('tls/ca.pem', import.meta.url));
const SERVER_FILE = fileURLToPath(new URL('tls/server.pem', import.meta.url));

/** Password of the user `lab`. */
export const PASSWORD = 'hunter2@/:?#%&+"\'\\ é€';
/** Parts of it, however encoded, that must not appear. */
export const TRACES = /hunter2|%40%2F|@\/:\?/i;
const TLS = `tls=true&tlsCAFile=${encodeURIComponent(CA_FILE)}`;

/**
 * A mongod that requires TLS and a login (SCRAM), with a user `lab` that may read and write the lab's database. It ends
 * with the test file. `root` may do anything.
 */
export async function startSecuredMongod() {
  const tls = ['--tlsMode', 'requireTLS', '--tlsCertificateKeyFile', SERVER_FILE, '--tlsCAFile', CA_FILE];
  const { port } = await startMongod(['--auth', ...tls, '--tlsAllowConnectionsWithoutCertificates']);
  const host = `127.0.0.1:${port}`;
  const first = new MongoClient(`mongodb://${host}/?${TLS}`);
  await first.db('admin').command({ createUser: 'root', pwd: 'root', roles: ['root'] });
  await first.close();
  const root = new MongoClient(`mongodb://root:root@${host}/?${TLS}`);
  cleanUp(() => root.close());
  const roles = [{ role: 'readWrite', db: 'pool_lab' }];
  await root.db('admin').command({ createUser: 'lab', pwd: PASSWORD, roles });
  return {
    host,
    root,
    /** @param {{ password?: string, tls?: string }} [changes] @returns {string} its URL for the user `lab` */
    urlOf({ password = PASSWORD, tls: options = TLS } = {}) {
      const login = `lab:${encodeURIComponent(password)}`;
      return `mongodb://${login}@${host}/?authSource=admin&${options}`;
    },
  };
}
