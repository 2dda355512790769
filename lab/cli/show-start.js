import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { readSettings } from '../../src/settings.js';
import { sumUp } from '../report/findings.js';
import { formatDate } from '../report/name-runs.js';
import { layOutText } from '../report/table.js';
import { findNextLesson, readProgress } from '../workshop/lesson-progress.js';
import { readLessons } from '../workshop/lessons.js';
import { WIDTH } from './lesson-text.js';
import { readResult, RESULTS } from './result-file.js';

const COMMANDS = [
  { command: 'npx pool-lab run mixed', about: 'see slow queries hold up fast ones' },
  { command: 'npx pool-lab watch -- node app.js', about: 'run your own app and watch its pools' },
  { command: 'npx pool-lab --help', about: 'show all commands' },
];

/** `pool-lab` without a command: where you are, and what you can do next. */
export async function showStart() {
  const paragraphs = [await describeNextLesson(), await describeLastResult()].filter(Boolean);
  const width = Math.max(...COMMANDS.map(({ command }) => command.length));
  const commands = COMMANDS.map(({ command, about }) => `  ${command.padEnd(width)}  ${about}`).join('\n');
  process.stdout.write(`${[...paragraphs, commands].join('\n\n')}\n`);
}

async function describeNextLesson() {
  const lessons = await readLessons();
  const progress = await readProgress(readSettings().dataDir, lessons);
  const next = findNextLesson(lessons, progress);
  if (!next) return `You have done all ${lessons.length} lessons.`;
  return (
    `Next lesson: ${lessons.indexOf(next) + 1} of ${lessons.length}, ${next.title} (${next.minutes} min)\n` +
    `  npx pool-lab workshop ${next.name}`
  );
}

/** @returns {Promise<string>} empty if there is none */
async function describeLastResult() {
  const names = await readdir(RESULTS, { recursive: true }).catch(() => []);
  const files = names.filter((name) => name.endsWith('.json')).map((name) => path.join(RESULTS, name));
  const changes = await Promise.all(files.map(async (file) => ({ file, changedMs: (await stat(file)).mtimeMs })));
  for (const { file } of changes.toSorted((a, b) => b.changedMs - a.changedMs)) {
    // Other files may lie there, too.
    const read = await readResult(file).catch(() => undefined);
    if (!read) continue;
    const { lab, result } = read;
    return [
      layOutText(`Last result: ${lab.title}, ${formatDate(result.startedAt)}. ${sumUp(lab, result)}`, WIDTH),
      `  npx pool-lab report ${file}`,
    ].join('\n');
  }
  return '';
}
