import { existsSync } from 'node:fs';
import { mkdir, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { readSettings } from '../../src/settings.js';
import { writeAtomically } from '../base/write-atomically.js';
import { measureShop, ROUTES } from '../workshop/cases/measure-shop.js';
import { openShop } from '../workshop/cases/open-shop.js';
import { runUntilSignal } from './signals.js';

/** @import { CaseTask, CaseCause, ShopEvidence } from '../workshop/lesson-types.js' */

const SECONDS = 6;
const SOUND = new URL('../../lessons/cases/shop.mjs', import.meta.url);

/** The learner's copy of the shop. @param {string} dataDir @param {CaseTask} task */
export function shopFile(dataDir, { name }) {
  return path.join(dataDir, name, 'shop.mjs');
}

/** Writes a shop that is slow for a reason. @param {string} file @param {CaseCause} cause */
export async function writeShop(file, { change: [sound, broken] }) {
  const folder = path.dirname(file);
  await mkdir(folder, { recursive: true });
  // The file imports the driver from there.
  const modules = path.resolve(createRequire(import.meta.url).resolve('mongodb/package.json'), '../..');
  const link = path.join(folder, 'node_modules');
  if (!existsSync(link)) await symlink(modules, link, 'junction');
  await writeAtomically(
    file,
    (await readFile(SOUND, 'utf8')).replace(sound, () => broken),
  );
}

/**
 * Measures the learner's shop with a MongoDB of its own.
 * @param {CaseTask} task
 * @param {{ drawn?: string, named: { cause?: string, route?: string } }} known
 * @returns {Promise<ShopEvidence>}
 * @throws {Error} saying what is missing
 */
export async function measureCase(task, { drawn, named: { cause, route } }) {
  const found = task.causes.find(({ name }) => name === drawn);
  const file = shopFile(readSettings().dataDir, task);
  if (!found || !existsSync(file)) throw new Error(`Start it first:\n  npx pool-lab case ${task.number}`);
  const names = task.causes.map(({ name }) => name);
  const named = { cause: requireOne('cause', cause, names), route: requireOne('route', route, [...ROUTES, 'all']) };
  return runUntilSignal(async (signal) => {
    const report = (/** @type {string} */ line) => process.stderr.write(`${line}\n`);
    report(`Measuring the shop for ${SECONDS} s ...`);
    const shop = await openShop({ report, signal });
    try {
      const app = await shop.start(file);
      const figures = await measureShop(shop, app, { seconds: SECONDS }).finally(app.stop);
      return { figures, cause: found, named };
    } finally {
      await shop.close();
    }
  });
}

/**
 * @param {string} option
 * @param {string | undefined} value
 * @param {string[]} allowed
 * @throws {Error} naming what is allowed
 */
function requireOne(option, value, allowed) {
  if (value !== undefined && allowed.includes(value)) return value;
  const problem = value === undefined ? `Name the ${option} as well` : `--${option} ${value} is not one of them`;
  throw new Error(`${problem}:\n  --${option} ${allowed.join('|')}`);
}
