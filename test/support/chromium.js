import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe } from '@jest/globals';
import { chromium } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/**
 * A real browser without a window: one on PATH, else Chrome where its installer puts it.
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

/**
 * `describe` for tests that need a browser. Without one they count as skipped, with a word about it; in CI, where
 * nothing may be missing, they fail.
 */
export const describeInBrowser = await chooseDescribe();

async function chooseDescribe() {
  try {
    await (await launchChromium()).close();
    return describe;
  } catch (cause) {
    const problem = `No browser to test with: put one of ${NAMES.join(', ')} on PATH, or install Google Chrome.`;
    if (process.env.CI) throw new Error(problem, { cause });
    process.stderr.write(`${problem} The tests of pages are skipped.\n`);
    return describe.skip;
  }
}
