import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

/** What the app serves below /predict/. */
const FOLDER = new URL('../src/', import.meta.url);

/** @param {URL} url @param {Set<string>} [seen] @returns {Set<string>} everything that a module imports, and so on */
function importsOf(url, seen = new Set()) {
  for (const [, specifier] of readFileSync(url, 'utf8').matchAll(/^import .* from '(.+)';$/gm)) {
    const imported = specifier.startsWith('.') ? new URL(specifier, url) : undefined;
    const name = imported?.href.replace(FOLDER.href, '') ?? specifier;
    const isNew = !seen.has(name);
    seen.add(name);
    if (isNew && imported) importsOf(imported, seen);
  }
  return seen;
}

test.each([
  'simulator/simulate', 'predict', 'closed-forms'
])('%s.js runs in a browser: it imports neighbours alone', (name) => {
  for (const imported of importsOf(new URL(`${name}.js`, FOLDER))) expect(imported).toMatch(/^([\w-]+\/)?[\w-]+\.js$/);
});
