import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium } from 'playwright-core';

export const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/**
 * A real headless browser: from PATH, or else an installed Chrome.
 * @returns {Promise<import('playwright-core').Browser>} throws if there is none
 */
export async function launchChromium() {
  const paths = (process.env.PATH ?? '').split(delimiter);
  const executablePath = NAMES.flatMap((name) => paths.map((path) => join(path, name))).find(existsSync);
  return chromium.launch({
    ...(executablePath ? { executablePath } : { channel: 'chrome' }),
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  });
}
