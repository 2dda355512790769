import { stripVTControlCharacters } from 'node:util';

/** Neither may move a terminal's cursor, change its title or turn the direction of its text. */
const CONTROLS = /(?![\n\t])[\p{Cc}\p{Bidi_Control}]/gu;
/** The words USER:PASSWORD are ours: they say what a connection string is like. */
const CREDENTIALS = /([a-z][a-z\d+.-]*:\/\/)(?!USER:PASSWORD@)\S*@/gi;
/** Of a value that was given, up to its last @: a password that was not encoded may hold one, or a blank. */
const CREDENTIALS_IN_VALUE = /([a-z][a-z\d+.-]*:\/\/).*@/is;
/** As in options of a connection string, and in settings. */
const SECRET_OPTIONS = /((?:password|token)[=:])[^&,\s]+/gi;

/**
 * Text from outside, such as a result file or an argument, so that a terminal shows it and does not obey it.
 * @param {string} text
 */
export function escapeControls(text) {
  return text.replace(CONTROLS, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * A message that may quote such text: secrets in it are masked too, and nothing else of the message.
 *
 * @param {string} text
 * @param {string[]} [values] that it may quote whole: the arguments of this process
 */
export function toPrintable(text, values = process.argv.slice(2)) {
  const masked = values.reduce((shown, value) => (
    CREDENTIALS_IN_VALUE.test(value) ? shown.replaceAll(value, () => value.replace(CREDENTIALS_IN_VALUE, '$1***@')) : shown
  ), text);
  return escapeControls(masked.replace(CREDENTIALS, '$1***@').replace(SECRET_OPTIONS, '$1***'));
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
