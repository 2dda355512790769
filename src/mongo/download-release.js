// Child process of download-mongod.js: argv[2] is the folder to download to. It sends a message when it begins, which
// on a busy machine is a while after its start, and another one with the outcome.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { MongoBinary } from 'mongodb-memory-server-core';
import { MongoBinaryDownload } from 'mongodb-memory-server-core/lib/util/MongoBinaryDownload.js';
import { onParentGone } from '../process/parent.js';

/**
 * The library compares MD5 sums, which can be forged. MongoDB publishes a SHA-256 sum beside each archive:
 * https://www.mongodb.com/docs/manual/tutorial/verify-mongodb-packages/
 * @this {MongoBinaryDownload}
 * @param {string} md5Url
 * @param {string} archive
 */
MongoBinaryDownload.prototype.makeMD5check = async function checkSha256(md5Url, archive) {
  const [published] = (await readFile(await this.download(md5Url.replace(/md5$/, 'sha256')), 'utf8'))
    .trim()
    .split(/\s/);
  const hash = createHash('sha256');
  await pipeline(createReadStream(archive), hash);
  const found = hash.digest('hex');
  if (found === published) return true;
  throw new Error(`the SHA-256 sum of ${path.basename(archive)} is ${found}, and MongoDB published ${published}`);
};

// Nobody needs the answer once the parent has died.
const leave = () => process.exit();
onParentGone(leave);
process.send?.('begin');
try {
  process.send?.({ file: await MongoBinary.getPath({ downloadDir: process.argv[2] }) });
} catch (error) {
  process.send?.({ error: error instanceof Error ? error.message : String(error) });
}
process.off('disconnect', leave);
process.disconnect?.();
