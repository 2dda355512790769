import { SETTINGS, describeAllowed } from './settings.js';

/** @returns {string} the settings for a terminal, two lines each, at most 80 columns wide */
export function renderSettingsHelp() {
  return SETTINGS.map((setting) => `  ${setting.env}\n${wrap(`${setting.doc} (${describeValue(setting)})`)}`).join('\n');
}

/** @returns {string} the settings as a Markdown table */
export function renderSettingsMarkdown() {
  const rows = SETTINGS.map((setting) => {
    const fallback = setting.default === undefined ? setting.unset : `\`${setting.default}\``;
    return `| \`${setting.env}\` | ${setting.doc} | ${describeAllowed(setting)} | ${fallback} |`;
  });
  return ['| setting | what it is | allowed | when unset |', '| --- | --- | --- | --- |', ...rows].join('\n');
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
function wrap(text) {
  return text.replace(/(.{1,72})(\s+|$)/g, '      $1\n').trimEnd();
}
