/** In characters. A quote that is never closed takes the rest of the file. */
const MAX_LENGTH = 1_000_000;

const FIELD = /(?:"([^"]*(?:""[^"]*)*)"|([^",]*))(,|$)/y;

/**
 * Reads CSV (RFC 4180): fields between commas, and quotes around a field that has commas, quotes or line ends in it.
 *
 * @param {AsyncIterable<string>} lines
 * @param {string} file
 * @returns {AsyncGenerator<{ fields: string[], line: number }, void>} line: where the record starts; empty lines are left
 *   out
 * @throws {Error} naming the file and the line with a misplaced quote
 */
export async function* readRecords(lines, file) {
  let record = '';
  let quotes = 0;
  let first = 0;
  let number = 0;
  for await (const line of lines) {
    number++;
    if (first === 0) [record, quotes, first] = [line, countQuotes(line), number];
    else [record, quotes] = [`${record}\n${line}`, quotes + countQuotes(line)];
    if (record.length > MAX_LENGTH) break;
    if (quotes % 2 === 1) continue;
    if (record.trim() !== '') yield { fields: splitFields(record, `${file}, line ${first}`), line: first };
    first = 0;
  }
  if (first > 0) throw new Error(`${file}, line ${first}: a quote is not closed`);
}

/** @param {string} text */
function countQuotes(text) {
  return text.split('"').length - 1;
}

/** @param {string} record @param {string} where */
function splitFields(record, where) {
  const fields = [];
  FIELD.lastIndex = 0;
  for (let end = ','; end === ',';) {
    const match = FIELD.exec(record);
    if (!match) throw new Error(`${where}: a quote in the middle of a field; put the field in quotes and double the quote`);
    const [, quoted, plain] = match;
    fields.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    end = match[3];
  }
  return fields;
}
