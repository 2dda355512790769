import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const { default: Sequencer } = createRequire(import.meta.url)('@jest/test-sequencer');

/** What takes long to start, the longest first: a browser, a MongoDB, an app or a command. */
const SLOW = [/chromium\.js'|live-page\.js'/, /mongod|embedded/i, /start-app|support\/processes|spawn|run-cli/];

/**
 * Starts the longest test files first, so that none of them is left for the end while the other workers have nothing to
 * do. Jest remembers how long each file took, but not in a fresh clone.
 */
// eslint-disable-next-line no-restricted-syntax
export default class LongestFirst extends Sequencer {
  /** @param {{ path: string }[]} tests */
  sort(tests) {
    const rank = new Map(
      tests.map(({ path }) => {
        const text = readFileSync(path, 'utf8');
        const found = SLOW.findIndex((pattern) => pattern.test(text));
        return [path, found === -1 ? SLOW.length : found];
      }),
    );
    return tests.toSorted((a, b) => Number(rank.get(a.path)) - Number(rank.get(b.path)) || (a.path < b.path ? -1 : 1));
  }
}
