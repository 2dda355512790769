// Child process of download-mongod.js: argv[2] is the folder to download to. It sends a message when it begins, which on
// a busy machine is a while after its start, and another one with the outcome.
import { MongoBinary } from 'mongodb-memory-server-core';
import { onParentGone } from '../process/parent.js';

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
