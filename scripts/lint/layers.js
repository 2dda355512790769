import { existsSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '../..');

/**
 * The layers of each area, lowest first. A file may import from its own module and from lower layers. Modules of one
 * layer do not know each other. A file that is in none of them is on top.
 * @type {Record<string, string[][]>}
 */
const LAYERS = {
  'src/': [
    ['base/'],
    ['settings.js'],
    ['process/'],
    ['http/', 'mongo/'],
    ['load-tests/'],
    ['live/'],
    ['routes/'],
    ['app.js'],
    ['start.js'],
    ['run-app.js'],
    ['server.js'],
  ],
  'lab/': [
    ['base/'],
    ['report/'],
    ['harness/', 'predictions/'],
    ['labs/', 'sweep/', 'watch/'],
    ['workshop/'],
    ['cli/'],
    ['cli.js'],
  ],
  'packages/oplog-replicator/': [
    ['src/bson/'],
    ['src/base/'],
    ['src/source/'],
    ['src/collections/'],
    ['src/target/'],
    ['src/workers/'],
    ['src/snapshot/'],
    ['src/replication/', 'src/verify/'],
    ['src/index.js'],
  ],
  'packages/pool-monitor/': [['src/core/'], ['src/otel/'], ['src/attach/', 'src/index.js']],
  'packages/pool-page/': [['universal/'], ['src/', 'page/']],
  'packages/pool-predictor/': [
    ['src/assumptions/'],
    ['src/base/'],
    ['src/simulator/'],
    ['src/scenario/', 'src/service/', 'src/reading/'],
    ['src/trace/'],
    ['src/load/', 'src/doctor/'],
    ['src/runs/', 'src/server/'],
    ['src/predict/'],
    ['src/advise/'],
    ['src/speedup/'],
    ['src/node/', 'src/index.js'],
  ],
};

/**
 * Which folders a folder may import from by path, beside itself. Everything else is on its own.
 * @type {[string, string[]][]}
 */
const REACH = [
  ['lab/test/', ['lab/', 'src/', 'test/support/', 'lessons/', 'loadtests/']],
  ['lab/', ['src/', 'playground/build-page.js']],
  ['src/', []],
  ['test/repository/', ['']],
  ['test/', ['src/', 'loadtests/']],
  ['lessons/', ['lab/', 'src/']],
  ['loadtests/', []],
  ['playground/', ['lab/predictions/', 'lab/report/document.js']],
];

/**
 * @param {string} file from the root
 * @returns {string} the folder of the workspace it is in, or '' for the root's own
 */
function workspaceOf(file) {
  return file.match(/^(packages\/[^/]+|lab)\//)?.[0] ?? '';
}

/** @param {string} file */
function isTest(file) {
  return /^(.*\/)?test\//.test(file) || file.startsWith('packages/test-support/');
}

/** @param {string} area @param {string} file */
function findModule(area, file) {
  const within = file.slice(area.length);
  for (const [layer, modules] of LAYERS[area].entries()) {
    const module = modules.find((each) => within.startsWith(each));
    if (module) return { layer, module: area + module };
  }
  return { layer: LAYERS[area].length, module: area };
}

/**
 * @param {string} from a file, from the root
 * @param {string} to the file it imports
 * @returns {string | null} which rule that breaks
 */
export function findBrokenRule(from, to) {
  const home = from.match(/^packages\/[^/]+\//)?.[0];
  if (home && !to.startsWith(home)) return `a package imports nothing from outside its folder: ${to}`;
  if (!home && to.startsWith('packages/')) return `import a package by its name, not by its files: ${to}`;
  if (isTest(to) && !isTest(from) && /^(src|lab|packages)\//.test(from)) return `only tests import from tests: ${to}`;
  const [start, reach] = REACH.find(([folder]) => from.startsWith(folder)) ?? [];
  if (start && reach && ![start, ...reach].some((folder) => to.startsWith(folder)))
    return `${start} may not import ${to}`;
  const area = Object.keys(LAYERS).find((each) => from.startsWith(each) && to.startsWith(each));
  if (!area || isTest(from)) return null;
  const [here, there] = [findModule(area, from), findModule(area, to)];
  if (here.module === there.module || there.layer < here.layer) return null;
  return `${here.module} may not import ${there.module}: it is not below it`;
}

/**
 * @param {string} from a file, from the root
 * @param {string} specifier of a package that it imports
 * @param {boolean} isType whether nobody needs it outside of this repository: a type in a comment
 * @returns {string | null} what is wrong with that
 */
function findUndeclared(from, specifier, isType) {
  const home = workspaceOf(from);
  const { name, dependencies, peerDependencies, devDependencies } = readPackage(home);
  const wanted = specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
  const isPublished = /^(src|lab)\//.test(from) || (home !== '' && !isTest(from));
  const declared = {
    ...dependencies,
    ...peerDependencies,
    ...((isTest(from) || !isPublished || isType) && { ...devDependencies, ...readPackage('').devDependencies }),
    // What is neither the app, nor the lab, nor a package runs in this repository only.
    ...(!isPublished && home === '' && readPackage('lab/').dependencies),
    ...(isType && readPackage('').dependencies),
  };
  if (isBuiltin(specifier) || [name, ...Object.keys(declared)].includes(wanted)) return null;
  return `${home}package.json does not declare ${wanted}`;
}

/** @type {Map<string, any>} */
const manifests = new Map();

/** @param {string} folder from the root */
function readPackage(folder) {
  const known = manifests.get(folder);
  if (known) return known;
  const manifest = JSON.parse(readFileSync(path.join(ROOT, folder, 'package.json'), 'utf8'));
  manifests.set(folder, manifest);
  return manifest;
}

/** What a file imports by path, from the root; types in comments may go round. @type {Map<string, string[]>} */
const importsOf = new Map();

/** @param {string} file from the root @returns {string[]} */
function listImports(file) {
  const known = importsOf.get(file);
  if (known) return known;
  const text = existsSync(path.join(ROOT, file)) ? readFileSync(path.join(ROOT, file), 'utf8') : '';
  const found = [...text.matchAll(/^(?:import|export)\b[^'"=(]*'(\.[^']+\.js)'/gm)].map(([, specifier]) =>
    path.posix.join(path.posix.dirname(file), specifier),
  );
  importsOf.set(file, found);
  return found;
}

/**
 * @param {string} file from the root
 * @param {string} imported by it
 * @returns {string[] | null} the files from there back to it
 */
function findCircle(file, imported) {
  /** @type {Map<string, string | null>} By file: the one that imports it. */
  const cameFrom = new Map([[imported, null]]);
  for (const each of cameFrom.keys()) {
    if (each === file) {
      const way = [];
      for (let at = /** @type {string | null} */ (each); at !== null; at = cameFrom.get(at) ?? null) way.unshift(at);
      return way;
    }
    for (const next of listImports(each)) if (!cameFrom.has(next)) cameFrom.set(next, each);
  }
  return null;
}

/** ESLint's rule for it: on imports, exports, `import()`, `resolve()` and types in comments alike. */
export const layers = {
  /** @param {any} context */
  create(context) {
    const file = path.relative(ROOT, context.filename).replaceAll('\\', '/');
    /** @param {string} specifier @param {object} at @param {boolean} [isType] */
    const check = (specifier, at, isType = false) => {
      const broken = specifier.startsWith('.')
        ? findBrokenRule(file, path.posix.join(path.posix.dirname(file), specifier))
        : findUndeclared(file, specifier, isType);
      if (broken) context.report({ ...at, message: broken });
      return broken === null;
    };
    /** @param {any} node */
    const checkSource = (node) => {
      const specifier = node.source?.value;
      if (typeof specifier !== 'string') return;
      const circle =
        check(specifier, { node }) && specifier.startsWith('.') && node.type !== 'ImportExpression'
          ? findCircle(file, path.posix.join(path.posix.dirname(file), specifier))
          : null;
      if (circle) context.report({ node, message: `a circle of imports: ${[file, ...circle].join(' -> ')}` });
    };
    return {
      ImportDeclaration: checkSource,
      ExportNamedDeclaration: checkSource,
      ImportExpression: checkSource,
      /** A package whose files one reads or serves is a dependency too. @param {any} node */
      'CallExpression[callee.property.name="resolve"]'(node) {
        const [{ value } = { value: null }] = node.arguments;
        const { object } = node.callee;
        const isResolver =
          object.type === 'MetaProperty' || object.callee?.name === 'createRequire' || object.name === 'require';
        if (isResolver && typeof value === 'string') check(value, { node });
      },
      Program() {
        for (const { value, loc } of context.sourceCode.getAllComments()) {
          for (const [, specifier] of value.matchAll(/(?:import\(|@import [^']*from )'([^']+)'/g))
            check(specifier, { loc }, true);
        }
      },
    };
  },
};
