import { describe } from '@jest/globals';
import { cleanUp } from './cleanup.js';
import { NAMES, launchChromium as launch } from './launch-chromium.js';

/** A browser that runs already, for the first one who asks. @type {import('playwright-core').Browser | undefined} */
let ready;

/** `describe` for tests that need a browser. Without a browser they are skipped with a message. In CI they fail. */
export const describeInBrowser = await chooseDescribe();

async function chooseDescribe() {
  try {
    const browser = await launch();
    cleanUp(() => browser.close());
    ready = browser;
    return describe;
  } catch (cause) {
    const problem = `There is no browser for the tests. Install Chrome, or put one of ${NAMES.join(', ')} on PATH.`;
    if (process.env.CI) throw new Error(problem, { cause });
    process.stderr.write(`${problem} Tests of pages are skipped.\n`);
    return describe.skip;
  }
}

/** A real headless browser, which ends with the test file. */
export async function launchChromium() {
  const browser = ready ?? (await launch());
  ready = undefined;
  return browser;
}
