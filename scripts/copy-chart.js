// Puts Chart.js beside the live page, because the package mongodb-pool-monitor has no dependencies. With --remove it
// deletes the copy. npm runs this in the package before and after packing: in the repository the page uses the package
// chart.js.
import { cpSync, rmSync } from 'node:fs';

const COPY = 'page/chart.js';

rmSync(COPY, { force: true });
if (!process.argv.includes('--remove')) {
  const { CHART_JS } = await import('mongodb-pool-monitor/live');
  cpSync(CHART_JS, COPY);
}
