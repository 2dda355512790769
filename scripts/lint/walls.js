import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '../..');

/**
 * The rooms of the house, from the ground up. A file may import from its own room and from rooms below it. Files of
 * `src/` that are in no room here stand on top: they wire the rest together.
 */
const FLOORS = [
  ['src/settings-table.js'],
  [
    'src/settings.js', 'src/printable.js', 'src/shape.js', 'src/write-atomically.js', 'src/read-stored.js', 'src/logger.js',
    'src/throttle.js', 'src/broken-output.js',
  ],
  ['src/process/'],
  ['src/settings-docs.js', 'src/mongo/'],
  ['src/http/', 'src/report/'],
  ['src/predictions/', 'src/harness/'],
  ['src/labs/', 'src/calibrate/', 'src/replicate/', 'src/sweep/', 'src/watch/'],
  ['src/live/', 'src/workshop/', 'src/classroom/'],
  ['src/routes/', 'src/cli/'],
];

/** @param {string} file from the root @returns {string} the package it is in, as a folder, or '' */
function packageOf(file) {
  return file.match(/^packages\/[^/]+\//)?.[0] ?? '';
}

/** @param {string} file */
function findRoom(file) {
  for (const [floor, rooms] of FLOORS.entries()) {
    const room = rooms.find((each) => file.startsWith(each));
    if (room) return { floor, room };
  }
  return { floor: FLOORS.length, room: 'src/' };
}

/**
 * @param {string} from a file, from the root
 * @param {string} to the file it imports
 * @returns {string | null} which wall that breaks
 */
export function findBrokenWall(from, to) {
  const home = packageOf(from);
  if (home) return to.startsWith(home) ? null : `a package imports nothing from outside its folder: ${to}`;
  if (packageOf(to)) return `import a package by its name, not by its files: ${to}`;
  const [here, there] = [findRoom(from), findRoom(to)];
  if (here.room === there.room || there.floor < here.floor) return null;
  return `${here.room} may not import ${there.room}: it is not below it`;
}

/**
 * @param {string} home folder of a package
 * @param {string} specifier of a package that one of its files imports, not by a path
 * @param {boolean} isInner whether nobody needs it outside of this repository: a type in code that publishes no types
 * @returns {string | null} what is wrong with that
 */
function findUndeclared(home, specifier, isInner) {
  const { name, dependencies, peerDependencies } = readPackage(home);
  const wanted = specifier.split('/').slice(0, specifier.startsWith('@') ? 2 : 1).join('/');
  const declared = { ...dependencies, ...peerDependencies, ...(isInner && readPackage('').dependencies) };
  if (isBuiltin(specifier) || [name, ...Object.keys(declared)].includes(wanted)) return null;
  return `${home}package.json does not declare ${wanted}`;
}

/** @param {string} folder from the root */
function readPackage(folder) {
  return JSON.parse(readFileSync(path.join(ROOT, folder, 'package.json'), 'utf8'));
}

/** ESLint's rule for it, on imports, exports, `import()` and types in comments alike. */
export const walls = {
  /** @param {any} context */
  create(context) {
    const file = path.relative(ROOT, context.filename).replaceAll('\\', '/');
    /** @param {string} specifier @param {object} at @param {boolean} [isType] */
    const check = (specifier, at, isType = false) => {
      const home = packageOf(file);
      const broken = specifier.startsWith('.')
        ? findBrokenWall(file, path.posix.join(path.posix.dirname(file), specifier))
        : home && findUndeclared(home, specifier, isType && !file.startsWith(`${home}src/`));
      if (broken) context.report({ ...at, message: broken });
    };
    /** @param {any} node */
    const checkSource = (node) => {
      if (typeof node.source?.value === 'string') check(node.source.value, { node });
    };
    return {
      ImportDeclaration: checkSource,
      ExportNamedDeclaration: checkSource,
      ImportExpression: checkSource,
      Program() {
        for (const { value, loc } of context.sourceCode.getAllComments()) {
          for (const [, specifier] of value.matchAll(/(?:import\(|from )'([^']+)'/g)) check(specifier, { loc }, true);
        }
      },
    };
  },
};
