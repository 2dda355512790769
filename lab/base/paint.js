import { styleText } from 'node:util';

/** @typedef {Parameters<typeof styleText>[0]} Style */
/** @typedef {(style: Style, text: string) => string} Paint */

/**
 * @param {NodeJS.WriteStream} stream
 * @returns {Paint | undefined} undefined for a pipe, and where NO_COLOR or TERM=dumb is set; FORCE_COLOR decides first
 */
export function choosePaint(stream) {
  /** @type {Paint} */
  const paint = (style, text) => styleText(style, text, { stream });
  return paint('red', 'x') === 'x' ? undefined : paint;
}

/** @param {string} text @param {Style | undefined} style @param {Paint | undefined} paint */
export function paintText(text, style, paint) {
  return style && paint && text ? paint(style, text) : text;
}
