import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { MongoClient } from 'mongodb';
import { cleanUp } from './cleanup.js';
import { realMongod } from './real-mongod.js';
import { scratchFolder } from './scratch-folder.js';

/** Who signed the server's certificate. */
export const CA_FILE = fileURLToPath(new URL('tls/ca.pem', import.meta.url));
const SERVER_FILE = fileURLToPath(new URL('tls/server.pem', import.meta.url));

/**
 * A mongod that talks TLS alone and lets nobody in without user and password (SCRAM). It ends with the test file.
 *
 * @returns {Promise<{ host: string, root: MongoClient, addUser: (name: string, pwd: string) => Promise<unknown> }>} `root`
 *   may do anything; a user that is added may read and write the lab's database
 */
export async function startSecuredMongod() {
  const [file, folder, port] = await Promise.all([realMongod(), scratchFolder(), findPort()]);
  const child = spawn(file, [
    '--port', String(port), '--bind_ip', '127.0.0.1', '--dbpath', folder, '--auth', '--tlsMode', 'requireTLS',
    '--tlsCertificateKeyFile', SERVER_FILE, '--tlsCAFile', CA_FILE, '--tlsAllowConnectionsWithoutCertificates',
  ]);
  const ended = once(child, 'exit');
  cleanUp(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  for await (const text of child.stdout.setEncoding('utf8')) if (text.includes('Waiting for connections')) break;

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

async function findPort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  server.close();
  await once(server, 'close');
  return port;
}
