/** Neither may move a terminal's cursor, change its title or turn the direction of its text. */
const CONTROLS = /(?![\n\t])[\p{Cc}\p{Bidi_Control}]/gu;
/** Up to the last @ of the line, because a password that was not encoded may hold one, or a blank. */
const CREDENTIALS = /([a-z][a-z\d+.-]*:\/\/).*@/gi;
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
 * A message that may quote such text: secrets in URLs are masked too.
 * @param {string} text
 */
export function toPrintable(text) {
  return escapeControls(text.replace(CREDENTIALS, '$1***@').replace(SECRET_OPTIONS, '$1***'));
}
