import { stripVTControlCharacters } from 'node:util';

/** They could move a terminal's cursor, change its title or reverse its text. */
const CONTROLS = /(?![\n\t])[\p{Cc}\p{Bidi_Control}]/gu;
/** After the scheme. The words USER:PASSWORD are ours: they explain what a connection string looks like. */
const CREDENTIALS = /(:\/\/)(?!USER:PASSWORD@)\S*@/g;
/** A connection string may have lost its scheme: `user:password@`. */
const BARE_CREDENTIALS = /(?<![\w.%+~-])(?!USER:PASSWORD@)[\w.%+~-]+:[^\s"'/\\@]\S*@/g;
/** Up to the last @ of an argument: a password that was not encoded may contain one, or a space. */
const CREDENTIALS_IN_VALUE = /(:\/\/|(?<=^|=)(?=[\w.%+~-]+:[^\s"'/\\])).*@/s;
const SECRET = 'passw(?:or)?d|passphrase|token|secret|api[-_]?key';
/** Names in settings and in options of a connection string. */
const SECRET_OPTIONS = new RegExp(`((?:${SECRET})[=:])[^&,\\s]+`, 'gi');
/** An option whose value is the next word. */
const SECRET_OPTION = new RegExp(`^-.*(?:${SECRET})$`, 'i');

/**
 * Escapes control characters in text from outside, such as a result file, so that a terminal only shows them.
 * @param {string} text
 */
export function escapeControls(text) {
  return text.replace(CONTROLS, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * Escapes control characters in a message, and masks secrets that it may quote.
 * @param {string} text
 * @param {string[]} [values] that the message may quote in full: the arguments of this process
 */
export function toPrintable(text, values = process.argv) {
  const masked = values.reduce(
    (shown, value) =>
      CREDENTIALS_IN_VALUE.test(value)
        ? shown.replaceAll(value, () => value.replace(CREDENTIALS_IN_VALUE, '$1***@'))
        : shown,
    text,
  );
  return escapeControls(
    masked.replace(CREDENTIALS, '$1***@').replace(BARE_CREDENTIALS, '***@').replace(SECRET_OPTIONS, '$1***'),
  );
}

/** Shows a command line without the secrets in it. @param {string[]} words */
export function printCommand(words) {
  return words
    .map((word, index) => (SECRET_OPTION.test(words[index - 1] ?? '') ? '***' : toPrintable(word, [word])))
    .join(' ');
}

/**
 * Breaks text into lines.
 *
 * @param {string} text may contain a terminal's control sequences, which take no room
 * @param {number} width
 */
export function wrap(text, width) {
  const lines = [''];
  for (const word of text.split(/\s+/)) {
    const line = `${lines[lines.length - 1]} ${word}`.trim();
    if (stripVTControlCharacters(line).length > width) lines.push(word);
    else lines[lines.length - 1] = line;
  }
  return lines.filter(Boolean).join('\n');
}
