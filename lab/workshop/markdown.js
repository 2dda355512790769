import { marked } from 'marked';
import { wrap } from '../../src/base/printable.js';
import { renderRows } from '../report/table.js';

/** @import { Token, Tokens } from 'marked' */

/**
 * Renders Markdown for a terminal. Prose is wrapped, but code is not, so that commands can be copied.
 * @param {string} text
 * @param {object} [options]
 * @param {number} [options.width] columns of the terminal
 * @param {(style: 'title' | 'strong' | 'code', text: string) => string} [options.paint] highlights parts; by default
 *   nothing
 */
export function renderMarkdown(text, { width = 80, paint = (style, words) => words } = {}) {
  /** @param {Token[]} tokens @param {number} columns @returns {string} */
  function renderBlocks(tokens, columns) {
    return tokens
      .map((token) => renderBlock(token, columns))
      .filter(Boolean)
      .join('\n\n');
  }

  /** @param {Token} token @param {number} columns @returns {string} */
  function renderBlock(token, columns) {
    const { type, tokens, lang, text: words } = /** @type {Tokens.Generic} */ (token);
    if (type === 'heading') return wrap(paint('title', renderInline(tokens)), columns);
    if (type === 'code') return lang === 'sh' ? indent(paint('code', words), '    ') : words;
    if (type === 'list') return renderList(/** @type {Tokens.List} */ (token), columns);
    if (type === 'table') return renderTable(/** @type {Tokens.Table} */ (token));
    if (type === 'blockquote') return indent(renderBlocks(tokens ?? [], columns - 2), '| ');
    return type === 'paragraph' || type === 'text' ? wrap(renderInline(tokens), columns) : '';
  }

  /** @param {Tokens.List} list @param {number} columns */
  function renderList({ items, ordered, start }, columns) {
    return items
      .map(({ tokens }, index) => {
        const mark = ordered ? `${Number(start) + index}. ` : '- ';
        const text = renderBlocks(tokens, columns - mark.length);
        return mark + indent(text, ' '.repeat(mark.length)).trimStart();
      })
      .join('\n');
  }

  /** @param {Tokens.Table} table */
  function renderTable({ header, rows }) {
    const columns = header.map(({ tokens }, index) => ({
      heading: renderInline(tokens),
      value: (/** @type {Tokens.TableCell[]} */ row) => renderInline(row[index].tokens),
    }));
    return renderRows(columns, rows);
  }

  /** @param {Token[] | undefined} tokens @returns {string} */
  function renderInline(tokens = []) {
    const texts = tokens.map((token) => {
      if (token.type === 'strong' || token.type === 'em') return paint('strong', renderInline(token.tokens));
      if (token.type === 'codespan') return paint('code', token.text);
      if (token.type === 'link') return renderInline(token.tokens);
      return 'text' in token ? token.text : token.raw;
    });
    return texts.join('');
  }

  return renderBlocks(marked.lexer(text), width);
}

/** @param {string} text @param {string} by */
function indent(text, by) {
  return text.replaceAll(/^(?=.)/gm, by);
}
