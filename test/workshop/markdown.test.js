import { describe, expect, test } from '@jest/globals';
import { renderMarkdown } from '../../src/workshop/markdown.js';

describe('Markdown in a terminal', () => {
  test('prose is wrapped', () => {
    const text = '# A *long* title\n\none two\nthree four';
    expect(renderMarkdown(text, { width: 11 })).toBe('A long\ntitle\n\none two\nthree four');
  });

  test('commands are indented but not wrapped, output is unchanged', () => {
    const text = '```sh\nnpx pool-lab run mixed\n```\n\n```text\n pool  max\n```';
    expect(renderMarkdown(text, { width: 10 })).toBe('    npx pool-lab run mixed\n\n pool  max');
  });

  test('lists are indented, and numbered lists keep their numbers', () => {
    expect(renderMarkdown('- one two\n- three', { width: 7 })).toBe('- one\n  two\n- three');
    expect(renderMarkdown('3. one\n4. two')).toBe('3. one\n4. two');
  });

  test('tables have columns, links show their text, entities are decoded', () => {
    const table = '| a | b |\n| --- | --- |\n| one & 1 | `< 2` |';
    expect(renderMarkdown(table)).toBe('a       b\n─────── ───\none & 1 < 2');
    expect(renderMarkdown('[there](x.md), <http://127.0.0.1/>')).toBe('there, http://127.0.0.1/');
  });

  test('quotes are marked', () => {
    expect(renderMarkdown('> well\n> said')).toBe('| well said');
  });

  test('highlighting takes no columns', () => {
    const paint = (/** @type {string} */ _, /** @type {string} */ text) => `\u001b[1m${text}\u001b[22m`;
    expect(renderMarkdown('**one** two', { width: 7, paint })).toBe('\u001b[1mone\u001b[22m two');
  });
});
