import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

/** The app serves this folder below /pool-predictor/. */
const FOLDER = new URL('../src/', import.meta.url);

/** @param {URL} url @param {Set<string>} [seen] @returns {Set<string>} all direct and indirect imports */
function importsOf(url, seen = new Set()) {
  for (const [, specifier] of readFileSync(url, 'utf8').matchAll(/^import [^;]*?from '(.+)';$/gm)) {
    const imported = specifier.startsWith('.') ? new URL(specifier, url) : undefined;
    const name = imported?.href.replace(FOLDER.href, '') ?? specifier;
    const isNew = !seen.has(name);
    seen.add(name);
    if (isNew && imported) importsOf(imported, seen);
  }
  return seen;
}

test.each(['simulator/simulate', 'predict/predict', 'speedup/prediction-worker', 'reading/read-trace'])(
  '%s.js can run in a browser: it imports only relative files',
  (name) => {
    for (const imported of importsOf(new URL(`${name}.js`, FOLDER)))
      expect(imported).toMatch(/^([\w-]+\/)?[\w-]+\.js$/);
  },
);
