import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/**
 * A real browser without a window: one on PATH, else Chrome where its installer puts it.
 * @returns {Promise<import('playwright-core').Browser>} throws if there is none, saying what was looked for
 */
export async function launchChromium() {
  const paths = (process.env.PATH ?? '').split(delimiter);
  const executablePath = NAMES.flatMap((name) => paths.map((path) => join(path, name))).find(existsSync);
  try {
    return await chromium.launch({
      ...(executablePath ? { executablePath } : { channel: 'chrome' }),
      args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
    });
  } catch (cause) {
    throw new Error(
      `No browser to test with: put one of ${NAMES.join(', ')} on PATH, or install Google Chrome.`, { cause },
    );
  }
}
