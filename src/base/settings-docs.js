import { wrap } from './printable.js';
import { SETTINGS } from './settings-table.js';

/** @returns {string} all settings for a terminal with 80 columns */
export function renderSettingsHelp() {
  return SETTINGS.map((setting) => {
    const text = wrap(`${setting.doc} (${describeValue(setting)})`, 72);
    return `  ${setting.env}\n${text.replaceAll(/^/gm, '      ')}`;
  }).join('\n');
}

/** @param {import('./settings-table.js').Setting} setting */
export function describeValue(setting) {
  const fallback = setting.default === undefined ? `unset: ${setting.unset}` : `default ${setting.default}`;
  return setting.type === 'text' ? fallback : `${describeAllowed(setting)}; ${fallback}`;
}

/** @param {import('./settings-table.js').Setting} setting @returns {string} the values that it may have */
export function describeAllowed({ type, min, max, choices = [] }) {
  if (type === 'integer')
    return max === undefined ? `a whole number of at least ${min}` : `a whole number from ${min} to ${max}`;
  if (type === 'choice') return `one of ${choices.join(', ')}`;
  if (type === 'mongoUrl') return 'a URL that starts with mongodb:// or mongodb+srv://';
  if (type === 'appUrl') return 'a URL that starts with http:// or https://';
  if (type === 'token') return 'at least 16 characters of A-Z, a-z, 0-9, - and _';
  return 'text';
}
