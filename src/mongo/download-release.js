// Child process of download-mongod.js: argv[2] is the folder to download to. It sends a message when it begins, which
// on a busy machine is a while after its start, and another one with the outcome.
import { readFile } from 'node:fs/promises';
import { MongoBinary } from 'mongodb-memory-server-core';
import { MongoBinaryDownload } from 'mongodb-memory-server-core/lib/util/MongoBinaryDownload.js';
import { onParentGone } from '../process/parent.js';
import { requireSha256 } from './require-sha256.js';

/**
 * The library compares MD5 sums, which can be forged.
 * @this {MongoBinaryDownload}
 * @param {string} md5Url
 * @param {string} archive
 */
MongoBinaryDownload.prototype.makeMD5check = async function checkSha256(md5Url, archive) {
  const published = await this.download(md5Url.replace(/md5$/, 'sha256'));
  await requireSha256(archive, await readFile(published, 'utf8'));
  return true;
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
