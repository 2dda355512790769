// Writes .env.example and the settings table in docs/settings.md from src/settings-table.js, and lessons/answers.md and
// the tables in lessons/README.md and lessons/teaching.md from the lessons.
import { readFileSync, writeFileSync } from 'node:fs';
import { insertSettingsTable, renderEnvExample } from './settings-documents.js';
import { insertContents, insertGoals, renderAnswerKeys } from '../lab/workshop/list-view.js';
import { readLessons } from '../lab/workshop/lessons.js';

const SETTINGS_PAGE = new URL('../docs/settings.md', import.meta.url);
const LESSONS_PAGE = new URL('../lessons/README.md', import.meta.url);
const TEACHING_PAGE = new URL('../lessons/teaching.md', import.meta.url);

writeFileSync(new URL('../.env.example', import.meta.url), renderEnvExample());
writeFileSync(SETTINGS_PAGE, insertSettingsTable(readFileSync(SETTINGS_PAGE, 'utf8')));
const lessons = await readLessons();
writeFileSync(LESSONS_PAGE, insertContents(readFileSync(LESSONS_PAGE, 'utf8'), lessons));
writeFileSync(TEACHING_PAGE, insertGoals(readFileSync(TEACHING_PAGE, 'utf8'), lessons));
writeFileSync(new URL('../lessons/answers.md', import.meta.url), renderAnswerKeys(lessons));
