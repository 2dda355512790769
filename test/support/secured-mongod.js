import { fileURLToPath } from 'node:url';
import { MongoClient } from 'mongodb';
import { cleanUp } from './cleanup.js';
import { startMongod } from './mongod-process.js';

/** The certificate of the CA. */
export const CA_FILE = fileURLToPath(new URL('tls/ca.pem', import.meta.url));
const SERVER_FILE = fileURLToPath(new URL('tls/server.pem', import.meta.url));

/**
 * A mongod that requires TLS and a login (SCRAM). It ends with the test file.
 * @returns {Promise<{ host: string, root: MongoClient, addUser: (name: string, pwd: string) => Promise<unknown> }>} `root`
 *   may do anything; added users may read and write the lab's database
 */
export async function startSecuredMongod() {
  const { port } = await startMongod([
    '--auth', '--tlsMode', 'requireTLS', '--tlsCertificateKeyFile', SERVER_FILE, '--tlsCAFile', CA_FILE,
    '--tlsAllowConnectionsWithoutCertificates',
  ]);
  const host = `127.0.0.1:${port}`;
  const tls = { tls: true, tlsCAFile: CA_FILE };
  const first = new MongoClient(`mongodb://${host}`, tls);
  await first.db('admin').command({ createUser: 'root', pwd: 'root', roles: ['root'] });
  await first.close();
  const root = new MongoClient(`mongodb://root:root@${host}`, tls);
  cleanUp(() => root.close());
  const roles = [{ role: 'readWrite', db: 'pool_lab' }];
  return { host, root, addUser: (createUser, pwd) => root.db('admin').command({ createUser, pwd, roles }) };
}
