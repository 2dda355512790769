import { describeAllowed, describeValue } from '../src/base/settings-docs.js';
import { SETTINGS } from '../src/base/settings-table.js';

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
  return (
    '# Copy this file to .env and change what you need. Environment variables take precedence over it.\n\n' +
    `${entries.join('\n\n')}\n`
  );
}
