import { wrap } from './printable.js';
import { SETTINGS } from './settings-table.js';

/** @returns {string} all settings for a terminal with 80 columns */
export function renderSettingsHelp() {
  return SETTINGS.map((setting) => {
    const text = wrap(`${setting.doc} (${describeValue(setting)})`, 72);
    return `  ${setting.env}\n${text.replaceAll(/^/gm, '      ')}`;
  }).join('\n');
}

function renderSettingsMarkdown() {
  const rows = SETTINGS.map((setting) => {
    const fallback = setting.default === undefined ? setting.unset : `\`${setting.default}\``;
    return `| \`${setting.env}\` | ${setting.doc} | ${describeAllowed(setting)} | ${fallback} |`;
  });
  return ['| setting | meaning | allowed | when unset |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

/**
 * Replaces the table of settings in a Markdown page.
 * @param {string} page
 * @throws {Error} when the page has no markers for it
 */
export function insertSettingsTable(page) {
  const place = /(?<=<!-- settings -->\n).*(?=<!-- \/settings -->)/s;
  if (!place.test(page)) throw new Error('the page needs the lines <!-- settings --> and <!-- /settings -->');
  return page.replace(place, () => `${renderSettingsMarkdown()}\n`);
}

/** @returns {string} .env.example: every setting, commented out, with its default */
export function renderEnvExample() {
  const entries = SETTINGS.map((setting) =>
    [`# ${setting.doc} (${describeValue(setting)})`, `# ${setting.env}=${setting.default ?? ''}`].join('\n'),
  );
  return `# Copy this file to .env and change what you need. Environment variables take precedence over it.\n\n${entries.join('\n\n')}\n`;
}

/** @param {import('./settings-table.js').Setting} setting */
function describeValue(setting) {
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
