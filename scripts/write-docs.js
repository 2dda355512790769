// Writes .env.example and the settings table in README.md from src/settings-table.js.
import { readFileSync, writeFileSync } from 'node:fs';
import { insertSettingsTable, renderEnvExample } from '../src/settings-docs.js';

const README = new URL('../README.md', import.meta.url);

writeFileSync(new URL('../.env.example', import.meta.url), renderEnvExample());
writeFileSync(README, insertSettingsTable(readFileSync(README, 'utf8')));
