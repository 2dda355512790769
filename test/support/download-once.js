// Child process of a test: argv[2] is the name of a download, argv[3] its target. Prints `{ error? }`.
import * as downloads from '../../src/mongo/download-mongod.js';

const [name, target] = process.argv.slice(2);
const download = downloads[/** @type {keyof typeof downloads} */ (name)];
const outcome = await download({ target, report() {} }).then(
  () => ({}),
  (error) => ({ error: error.message }),
);
process.stdout.write(JSON.stringify(outcome));
