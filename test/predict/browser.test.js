import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

/** @param {URL} url @param {Set<string>} [seen] @returns {Set<string>} everything that a module imports, and so on */
function importsOf(url, seen = new Set()) {
  for (const [, specifier] of readFileSync(url, 'utf8').matchAll(/^import .* from '(.+)';$/gm)) {
    const isNew = !seen.has(specifier);
    seen.add(specifier);
    if (isNew && specifier.startsWith('./')) importsOf(new URL(specifier, url), seen);
  }
  return seen;
}

test.each([
  'simulate', 'predict', 'closed-forms', 'kiefer-wolfowitz',
])('%s.js runs in a browser: it imports neighbours alone', (name) => {
  const imported = [...importsOf(new URL(`../../src/predict/${name}.js`, import.meta.url))];
  expect(imported.filter((specifier) => !specifier.startsWith('./'))).toEqual([]);
});
