import { wrap } from './printable.js';
import { SETTINGS, describeAllowed } from './settings.js';

/** @returns {string} the settings for a terminal, two lines each, at most 80 columns wide */
export function renderSettingsHelp() {
  return SETTINGS.map((setting) => `  ${setting.env}\n${indent(wrap(`${setting.doc} (${describeValue(setting)})`, 72))}`).join('\n');
}

/** @returns {string} the settings as a Markdown table */
function renderSettingsMarkdown() {
  const rows = SETTINGS.map((setting) => {
    const fallback = setting.default === undefined ? setting.unset : `\`${setting.default}\``;
    return `| \`${setting.env}\` | ${setting.doc} | ${describeAllowed(setting)} | ${fallback} |`;
  });
  return ['| setting | what it is | allowed | when unset |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

/**
 * Put the table of settings between its two markers in a Markdown page.
 * @param {string} page
 * @returns {string} the page
 * @throws {Error} when the page has no markers
 */
export function insertSettingsTable(page) {
  const place = /(?<=<!-- settings -->\n).*(?=<!-- \/settings -->)/s;
  if (!place.test(page)) throw new Error('the page has no lines <!-- settings --> and <!-- /settings -->');
  return page.replace(place, () => `${renderSettingsMarkdown()}\n`);
}

/** @returns {string} .env.example: every setting, commented out, with its default */
export function renderEnvExample() {
  const entries = SETTINGS.map((setting) => [
    `# ${setting.doc} (${describeValue(setting)})`,
    `# ${setting.env}=${setting.default ?? ''}`,
  ].join('\n'));
  return `# Copy to .env and change what you need; the environment wins over this file.\n\n${entries.join('\n\n')}\n`;
}

/** @param {import('./settings.js').Setting} setting */
function describeValue(setting) {
  const fallback = setting.default === undefined ? `unset: ${setting.unset}` : `default ${setting.default}`;
  return setting.type === 'text' ? fallback : `${describeAllowed(setting)}; ${fallback}`;
}

/** @param {string} text */
function indent(text) {
  return text.replaceAll(/^/gm, '      ');
}
