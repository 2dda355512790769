// Child process of download-mongod.js: argv[2] is the folder to download to. It tells its parent first that it
// begins, which on a busy machine is a while after its start, and then how it went.
import { MongoBinary } from 'mongodb-memory-server-core';

// A parent that has died needs no answer.
const leave = () => process.exit();
process.once('disconnect', leave);
process.send?.('begin');
try {
  process.send?.({ file: await MongoBinary.getPath({ downloadDir: process.argv[2] }) });
} catch (error) {
  process.send?.({ error: error instanceof Error ? error.message : String(error) });
}
process.off('disconnect', leave);
process.disconnect?.();
