import { MongoClient } from 'mongodb';
import { cleanUp, startReplicaSet } from 'test-support/cleanup.js';
import { Deployment } from '../src/base/deployment.js';

/** A client that closes at the end of the test file. @param {string} url */
export function openClient(url) {
  const client = new MongoClient(url);
  cleanUp(() => client.close());
  return client;
}

/**
 * Closes like openClient.
 * @param {string} url
 * @param {Partial<import('../src/base/deployment.js').DeploymentOptions>} [options]
 */
export function openDeployment(url, options) {
  const deployment = new Deployment(url, { role: 'target', maxSilenceMs: 10_000, ...options });
  cleanUp(() => deployment.close());
  return deployment;
}

/**
 * Starts two replica sets, a source and a target.
 * @param {string[]} [sourceArgs] of the mongod
 * @param {string[]} [targetArgs]
 */
export async function startTwoSets(sourceArgs, targetArgs) {
  const sets = await Promise.all([startReplicaSet(sourceArgs), startReplicaSet(targetArgs)]);
  const urls = sets.map(({ url }) => url);
  return { sets, urls, clients: urls.map(openClient) };
}
