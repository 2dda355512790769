// Runs the entry file, argv[2], in a thread.
import { Worker } from 'node:worker_threads';

const [file, ...libraries] = process.argv.slice(2);
new Worker(new URL(file, import.meta.url), { argv: libraries });
