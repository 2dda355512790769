// Writes .env.example and the settings table in README.md from src/settings-table.js, and lessons/answers.md from the lessons.
import { readFileSync, writeFileSync } from 'node:fs';
import { insertSettingsTable, renderEnvExample } from '../src/settings-docs.js';
import { renderAnswerKeys } from '../src/workshop/answer-keys.js';
import { readLessons } from '../src/workshop/lessons.js';

const README = new URL('../README.md', import.meta.url);

writeFileSync(new URL('../.env.example', import.meta.url), renderEnvExample());
writeFileSync(README, insertSettingsTable(readFileSync(README, 'utf8')));
writeFileSync(new URL('../lessons/answers.md', import.meta.url), renderAnswerKeys(await readLessons()));
