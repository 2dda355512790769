import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe } from '@jest/globals';
import { chromium } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

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

/** `describe` for tests that need a browser. Without a browser they are skipped with a message. In CI they fail. */
export const describeInBrowser = await chooseDescribe();

async function chooseDescribe() {
  try {
    await (await launchChromium()).close();
    return describe;
  } catch (cause) {
    const problem = `There is no browser for the tests. Put one of ${NAMES.join(', ')} on PATH, or install Google Chrome.`;
    if (process.env.CI) throw new Error(problem, { cause });
    process.stderr.write(`${problem} Tests of pages are skipped.\n`);
    return describe.skip;
  }
}
