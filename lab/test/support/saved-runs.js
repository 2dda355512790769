import { readFileSync } from 'node:fs';

/** @import { SavedResult } from '../../workshop/lesson-types.js' */

/**
 * Runs of the lessons' commands on 2 cores, as `pool-lab` saved them, cut to what checks and tables read: on a quiet
 * machine, and beside twenty processes that used all of it. A name is that of the lesson, with t for its twist, p for
 * the solution of its puzzle, and x for what once solved the puzzle and no longer does, or (06x) for a quiet run in
 * which nothing is clear.
 *
 * @type {Map<string, SavedResult>}
 */
const RUNS = new Map(
  ['quiet', 'busy'].flatMap((state) =>
    readLines(`${state}.jsonl`).map(({ name, ...run }) => [
      `${state} ${name}`,
      { environment: {}, ...run, file: `${state} ${name}` },
    ]),
  ),
);

/** What `GET /pool/checkouts` said after the load of a lesson, cut likewise. */
const APPS = new Map(readLines('apps.jsonl').map(({ name, ...app }) => [name, app]));

/** @param {string} file @returns {any[]} */
function readLines(file) {
  const text = readFileSync(new URL(`../workshop/saved-runs/${file}`, import.meta.url), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** @param {string} name such as `quiet 08` @returns {any} a copy, which may be changed */
export function savedRun(name) {
  if (!RUNS.has(name)) throw new Error(`there is no saved run ${name}`);
  return structuredClone(RUNS.get(name));
}

/** @param {string} name such as `01` @returns {any} a copy of what a check asks an app for */
export function savedApp(name) {
  if (!APPS.has(name)) throw new Error(`there is no saved app ${name}`);
  return structuredClone(APPS.get(name));
}

/** All runs of a lab. @param {string} lab */
export function listRuns(lab) {
  return [...RUNS.keys()].map(savedRun).filter((run) => run.lab === lab);
}

/** The names of all apps. */
export function listApps() {
  return [...APPS.keys()];
}
