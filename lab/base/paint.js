import { styleText } from 'node:util';

/** @typedef {Parameters<typeof styleText>[0]} Style */
/** @typedef {(style: Style, text: string) => string} Paint */

/**
 * @param {NodeJS.WriteStream} stream
 * @returns {Paint | undefined} undefined for a pipe, and where NO_COLOR or TERM=dumb is set
 */
export function choosePaint(stream) {
  // hasColors() reads the environment. styleText would look at stdout.
  return stream.isTTY && stream.hasColors() ? (style, text) => styleText(style, text) : undefined;
}

/** @param {string} text @param {Style | undefined} style @param {Paint | undefined} paint */
export function paintText(text, style, paint) {
  return style && paint ? paint(style, text) : text;
}
