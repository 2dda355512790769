import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CHART_JS } from 'mongodb-pool-monitor/live';
import { hashSource } from './document.js';
import { trust } from './markup.js';

const HERE = dirname(fileURLToPath(import.meta.url));

/** What the page contains, and what it may run. */
export function loadAssets() {
  const look = read(createRequire(import.meta.url).resolve('mongodb-pool-monitor/universal/look.css'));
  const style = look + read(join(HERE, 'browser', 'style.css'));
  const library = read(CHART_JS);
  const script = read(join(HERE, 'browser', 'draw-charts.js'));
  return {
    style,
    library: trust(library),
    script: trust(script),
    policy: [`script-src ${hashSource(library)} ${hashSource(script)}`],
  };
}

/**
 * Without the address of the source map: developer tools would look for it beside the report.
 * @param {string} path
 */
function read(path) {
  return readFileSync(path, 'utf8').replace(/^\/\/# sourceMappingURL=.*$/m, '');
}
