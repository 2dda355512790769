import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';

const require = createRequire(import.meta.url);

/** @param {string | null} mongodb version of the server, null where there is none */
export function describeEnvironment(mongodb) {
  const cpus = os.cpus();
  return {
    poolLab: JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version,
    node: process.versions.node,
    driver: versionOf('mongodb'),
    artillery: versionOf('artillery'),
    autocannon: versionOf('autocannon'),
    mongodb,
    os: `${os.type()} ${os.release()} ${os.arch()}`,
    cpu: cpus[0]?.model ?? 'unknown',
    cores: cpus.length,
    memoryGB: Math.round(os.totalmem() / 2 ** 30),
  };
}

/** @param {string} name of a package */
function versionOf(name) {
  return require(`${name}/package.json`).version;
}
