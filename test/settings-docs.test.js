import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { insertSettingsTable, renderEnvExample, renderSettingsHelp } from '../src/settings-docs.js';
import { readSettings } from '../src/settings.js';
import { SETTINGS } from '../src/settings-table.js';

describe('the help', () => {
  const lines = renderSettingsHelp().split('\n');

  test('fits a terminal of 80 columns', () => {
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
  });

  test('names every setting, each on a line of its own', () => {
    expect(lines.filter((line) => /^ {2}\S/.test(line)).map((line) => line.trim()))
      .toEqual(SETTINGS.map(({ env }) => env));
  });

  test('says what is allowed and what happens while a setting is unset', () => {
    const text = lines.map((line) => line.trim()).join(' ');
    expect(text).toContain('(a whole number from 0 to 65535; default 3000)');
    expect(text).toContain('(unset: mongod on the PATH, or else a downloaded one)');
  });
});

/** @param {string} file at the top of the project */
function fileUrl(file) {
  return new URL(`../${file}`, import.meta.url);
}

describe('the documents are up to date: if one of these fails, run scripts/write-docs.js', () => {
  test('.env.example', async () => {
    expect(await readFile(fileUrl('.env.example'), 'utf8')).toBe(renderEnvExample());
  });

  test('the settings in README.md', async () => {
    const readme = await readFile(fileUrl('README.md'), 'utf8');
    expect(readme).toBe(insertSettingsTable(readme));
  });
});

test('a copy of .env.example changes nothing', () => {
  expect(readSettings({}, fileURLToPath(fileUrl('.env.example')))).toEqual(readSettings({}, 'no-such-file'));
});

test('a README without its markers is an error', () => {
  expect(() => insertSettingsTable('# Title\n')).toThrow('<!-- settings -->');
  expect(() => insertSettingsTable('<!-- /settings -->\n<!-- settings -->\n')).toThrow('<!-- settings -->');
});

test('the table replaces only the text between its markers', () => {
  const page = insertSettingsTable('before\n<!-- settings -->\nwhat was there\n<!-- /settings -->\nafter\n');
  expect(page).toMatch(/^before\n<!-- settings -->\n[^]*\n<!-- \/settings -->\nafter\n$/);
  expect(page).not.toContain('what was there');
  expect(page).toContain('| `PORT` |');
  expect(insertSettingsTable(page)).toBe(page);
});
