import { describe } from '@jest/globals';
import { NAMES, launchChromium } from './launch-chromium.js';

export { launchChromium };

/** `describe` for tests that need a browser. Without a browser they are skipped with a message. In CI they fail. */
export const describeInBrowser = await chooseDescribe();

async function chooseDescribe() {
  try {
    await (await launchChromium()).close();
    return describe;
  } catch (cause) {
    const problem = `There is no browser for the tests. Install Chrome, or put one of ${NAMES.join(', ')} on PATH.`;
    if (process.env.CI) throw new Error(problem, { cause });
    process.stderr.write(`${problem} Tests of pages are skipped.\n`);
    return describe.skip;
  }
}
