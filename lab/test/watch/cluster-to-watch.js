// The plain app in two processes.
import cluster from 'node:cluster';

if (cluster.isPrimary) {
  cluster.fork();
  cluster.fork();
  // The workers end with it.
  process.once('SIGTERM', () => process.exit());
} else {
  await import('./app-to-watch.js');
}
