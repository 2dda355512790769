import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';

/**
 * MongoDB publishes a SHA-256 sum beside each archive:
 * https://www.mongodb.com/docs/manual/tutorial/verify-mongodb-packages/
 *
 * @param {string} archive file
 * @param {string} published the sum, and the name of the archive
 * @throws {Error} if the archive has another one
 */
export async function requireSha256(archive, published) {
  const [expected] = published.trim().split(/\s/);
  const hash = createHash('sha256');
  await pipeline(createReadStream(archive), hash);
  const found = hash.digest('hex');
  if (found !== expected)
    throw new Error(`the SHA-256 sum of ${path.basename(archive)} is ${found}, and MongoDB published ${expected}`);
}
