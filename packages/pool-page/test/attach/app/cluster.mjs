// Runs the entry file, argv[2], in two processes.
import cluster from 'node:cluster';
import { fileURLToPath } from 'node:url';

const [file, ...args] = process.argv.slice(2);
cluster.setupPrimary({ exec: fileURLToPath(new URL(file, import.meta.url)), args });
cluster.fork();
cluster.fork();
