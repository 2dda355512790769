/**
 * Reads CSV as RFC 4180 describes it (https://www.rfc-editor.org/rfc/rfc4180). Empty lines are left out.
 *
 * @param {string} text
 * @param {string} [delimiter] one character
 * @returns {string[][]} rows of values
 */
export function parseCsv(text, delimiter = ',') {
  /** @type {string[][]} */
  const rows = [];
  /** @type {string[]} */
  let row = [];
  let value = '';
  let isQuoted = false;

  function endRow() {
    row.push(value);
    if (row.length > 1 || value !== '') rows.push(row);
    row = [];
    value = '';
  }

  const start = text.startsWith('\uFEFF') ? 1 : 0;
  for (let i = start; i < text.length; i++) {
    const char = text[i];
    if (isQuoted) {
      if (char !== '"') value += char;
      else if (text[i + 1] === '"') value += text[++i];
      else isQuoted = false;
    } else if (char === '"' && value === '') {
      isQuoted = true;
    } else if (char === delimiter) {
      row.push(value);
      value = '';
    } else if (char === '\n') {
      endRow();
    } else if (char !== '\r') {
      value += char;
    }
  }
  endRow();
  return rows;
}
