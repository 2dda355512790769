import { serveRequests } from './background.js';
import { openPage } from './page.js';

// One script for both: the page starts its own text again as a worker. From disk, a worker can't be loaded as a file.
if (typeof document === 'undefined') serveRequests();
else openPage(String(document.currentScript?.textContent));
