import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { compareFleet } from 'mongodb-pool-predictor';
import { createProgram } from '../../lab/cli/program.js';
import { insertSettingsTable, renderEnvExample } from '../../scripts/settings-documents.js';
import { commandsInRows, commandsOf } from '../support/commands-of.js';
import { hashSources } from '../../scripts/pictures/hash-sources.js';

/** @import { Command } from 'commander' */

const FOLDER = 'docs/experiments';
const experiments = await Promise.all(
  (await readdir(FOLDER))
    .filter((name) => name !== 'README.md')
    .map(async (name) => ({ name, text: await readFile(path.join(FOLDER, name), 'utf8') })),
);

/** @param {string} name */
const readDoc = (name) => readFile(path.join('docs', name), 'utf8');

const names = (await readdir('docs', { recursive: true })).filter((name) => name.endsWith('.md'));

const packages = await readdir('packages');

const lessons = (await readdir('lessons', { recursive: true })).filter((name) => name.endsWith('.md'));

const pages = await Promise.all(
  [
    ...names.map((name) => path.join('docs', name)),
    ...lessons.map((name) => path.join('lessons', name)),
    ...packages.map((name) => path.join('packages', name, 'README.md')).filter(existsSync),
  ].map(async (file) => ({ file, text: await readFile(file, 'utf8') })),
);

const commands = (await Promise.all(names.map(readDoc))).flatMap(commandsOf);

/** The id that GitHub gives to a heading. @param {string} title */
function anchorOf(title) {
  return title
    .toLowerCase()
    .replaceAll(/[^\w -]/g, '')
    .replaceAll(' ', '-');
}

/** What links lead to in a page, and does not exist. @param {{ file: string, text: string }} page */
async function findBrokenLinks({ file, text }) {
  const links = [...text.matchAll(/\]\(([^):]+)\)|(?:src|srcset)="([^":]+)"/g)].map(
    ([, link, source]) => link ?? source,
  );
  const broken = await Promise.all(
    links.map(async (link) => {
      const [target, anchor] = link.split('#');
      const linked = target === '' ? file : path.join(path.dirname(file), target);
      if (!existsSync(linked)) return true;
      if (anchor === undefined) return false;
      const headings = [...(await readFile(linked, 'utf8')).matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
        anchorOf(title),
      );
      return !headings.includes(anchor);
    }),
  );
  return links.filter((_, index) => broken[index]);
}

test.each(pages)('links of $file lead to what exists', async (page) => {
  expect(await findBrokenLinks(page)).toEqual([]);
});

/** These need a Docker engine, a cluster or an account. Other tests check their files. */
const NEEDS_MORE = /^(docker|kubectl|aws) /;

test('the files exist that these commands name', () => {
  const files = commands.filter((one) => NEEDS_MORE.test(one)).flatMap((one) => one.match(/\S+\/\S+\.ya?ml/g) ?? []);
  expect(files.length).toBeGreaterThan(0);
  expect(files.filter((file) => !existsSync(file))).toEqual([]);
});

test.each(pages.filter(({ file }) => path.dirname(file) === 'docs'))(
  '$file is short, and begins with a list of its sections',
  ({ text }) => {
    expect(text.split('\n').length).toBeLessThanOrEqual(151);
    const sections = [...text.matchAll(/^## (.+)$/gm)].map(([, title]) => title);
    const listed = sections.map((title) => `- [${title}](#${anchorOf(title)})\n`).join('');
    expect(text).toMatch(/^# .+\n\n- /);
    expect(text).toContain(`\n\n${listed}\n`);
  },
);

test.each(['pool-monitor', 'pool-predictor'])('the table in packages/%s/README.md lists real exports', async (name) => {
  const { text } = pages.find(({ file }) => file === path.join('packages', name, 'README.md')) ?? { text: '' };
  const [table] = text.match(/^\| export \|(?:.*\n)+?(?=\n|$)/m) ?? [''];
  const listed = [...table.matchAll(/^\| (`.+?) \|/gm)].flatMap(([, cell]) =>
    [...cell.matchAll(/`(?:new )?(\w+)[`(]/g)].map(([, word]) => word),
  );
  expect(listed.length).toBeGreaterThan(1);
  const entries = ['index.js', 'node/index.js', 'otel/telemetry.js']
    .map((entry) => `packages/${name}/src/${entry}`)
    .filter(existsSync);
  /** @type {string[]} */
  const exported = [];
  // One after the other: Jest can't link modules that two imports have in common at once.
  for (const entry of entries) exported.push(...Object.keys(await import(`../../${entry}`)));
  expect(listed.filter((word) => !exported.includes(word))).toEqual([]);
});

describe('the fleet', () => {
  const POOL = 10;

  test('the table has the calculated figures', async () => {
    const rows = [...(await readDoc('scale.md')).matchAll(/^\| (\d+) \| (.+) \|$/gm)].map(([, instances, rest]) => [
      Number(instances),
      ...rest.split(' | ').map(Number),
    ]);
    const limits = [1500, 6000, 128_000];
    expect(rows).toEqual(
      [10, 1000, 100_000].map((instances) => {
        const { perServer } = compareFleet({ instances }, POOL);
        const largest = limits.map((serverLimit) => compareFleet({ instances, serverLimit }, POOL).largestPool);
        return [instances, perServer, ...largest];
      }),
    );
  });

  test('so do the ways out', async () => {
    const text = (await readDoc('scale.md')).replaceAll(/\s+/g, ' ');
    const ofService = compareFleet({ instances: 200 }, 100).perServer;
    expect(text).toContain(`200 instances of it with a pool of 100 are ${ofService} connections`);
    const instances = Math.ceil((100_000 * 2) / 60);
    const { perServer } = compareFleet({ instances }, POOL);
    expect(text).toContain(`a mongos serves ${instances} instances and sees ${perServer} connections`);
  });
});

const readme = await readFile('README.md', 'utf8');

const { scripts } = JSON.parse(await readFile('package.json', 'utf8'));

/** It may name old paths. */
const CHANGELOG = 'CHANGELOG.md';

const PAGES = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', CHANGELOG];

test.each(PAGES)('links of %s lead to what exists', async (file) => {
  expect(await findBrokenLinks({ file, text: await readFile(file, 'utf8') })).toEqual([]);
});

test(
  'no document tells anyone to install or load a package of ours by its name: others ' + 'could take it in a registry',
  async () => {
    const texts = await Promise.all(PAGES.map((file) => readFile(file, 'utf8')));
    const names =
      /(npm (?:install|i)|--import|--require)[ =][^`\n]*(?<![\w/])(?:mongodb-pool-\w+|mongodb-gather|oplog-replicator)/;
    expect([...texts, ...pages.map(({ text }) => text)].flatMap((text) => text.match(names)?.[0] ?? [])).toEqual([]);
  },
);

test('the README is short', () => {
  expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(130);
  expect(readme.split(/\s+/).length).toBeLessThanOrEqual(1200);
});

test('the documents name the scripts of package.json, and no others', async () => {
  const all = [readme, await readFile('CONTRIBUTING.md', 'utf8'), ...pages.map(({ text }) => text)].join('\n');
  const named = [...all.matchAll(/npm (?:run ([a-z:]+)|(start|test)\b)/g)].map(([, name, short]) => name ?? short);
  expect([...new Set(named)].toSorted()).toEqual(Object.keys(scripts).toSorted());
});

/** @param {Command} command */
function doNothing(command) {
  command.action(() => {});
  command.commands.forEach(doNothing);
}

// readme.release.test.js runs them.
test.each([
  ...new Set([
    ...[...commandsOf(readme), ...commands].filter((command) => command.startsWith('npx pool-lab')),
    ...experiments.flatMap(({ text }) => commandsInRows(text)),
  ]),
])('%s is understood', async (command) => {
  const program = await createProgram();
  program.commands.forEach(doNothing);
  const words = command.match(/'[^']*'|\S+/g) ?? [];
  await program.parseAsync(
    words.slice(2).map((word) => word.replaceAll("'", '')),
    { from: 'user' },
  );
});

test('the README links every package, and each brings the licence', async () => {
  const licence = await readFile('LICENSE', 'utf8');
  for (const folder of await readdir('packages')) {
    const { name, private: isPrivate } = JSON.parse(await readFile(`packages/${folder}/package.json`, 'utf8'));
    if (isPrivate) continue;
    expect(readme).toContain(`[${name}](packages/${folder}/README.md)`);
    expect(await readFile(`packages/${folder}/LICENSE`, 'utf8')).toBe(licence);
  }
});

test.each(['src', 'lab', 'packages'])(
  "CONTRIBUTING.md's picture of %s has each of its folders, and no other",
  async (area) => {
    const [, picture] = (await readFile('CONTRIBUTING.md', 'utf8')).match(/^```\n(.+?)^```/ms) ?? [];
    const [, lines] = picture.match(new RegExp(`^${area}/.*\\n((?: .+\\n)+)`, 'm')) ?? [];
    const named = [...lines.matchAll(/^ +(?:.+, )?([\w-]+)\/(?:NAME\/)? /gm)].map(([, folder]) => folder);
    const folders = (await readdir(area, { withFileTypes: true })).filter((entry) => entry.isDirectory());
    const expected = folders.map(({ name }) => name).filter((name) => !['node_modules', 'test'].includes(name));
    expect(named.toSorted()).toEqual(expected.toSorted());
  },
);

test.each(PAGES.filter((page) => page !== CHANGELOG))('paths in %s exist', async (page) => {
  const text = await readFile(page, 'utf8');
  const paths = [
    ...text.matchAll(/`((?:src|lab|test|scripts|docs|deploy|examples|loadtests|packages)\/[\w./-]+)`/g),
  ].map(([, found]) => found);
  expect(paths.filter((found) => !existsSync(found) && !found.includes('NAME') && !found.includes('pings'))).toEqual(
    [],
  );
});

test('.ci/run runs every check, and the workflow runs .ci/run', async () => {
  const [ci, workflow] = await Promise.all(
    ['.ci/run', '.github/workflows/ci.yml'].map((file) => readFile(file, 'utf8')),
  );
  for (const command of ['test', 'run test:long', 'run lint', 'run typecheck', 'run demo']) {
    expect(ci).toMatch(new RegExp(`^ *npm ${command}`, 'm'));
  }
  expect(workflow).toContain('- run: .ci/run ${{ matrix.part }}\n');
});

describe('the documents are up to date: if one of these fails, run scripts/write-docs.js', () => {
  test('.env.example', async () => {
    expect(await readFile('.env.example', 'utf8')).toBe(renderEnvExample());
  });

  test('the settings in docs/settings.md', async () => {
    const page = await readDoc('settings.md');
    expect(page).toBe(insertSettingsTable(page));
  });
});

test('a page without its markers is an error', () => {
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

describe('experiments', () => {
  const rows = experiments.flatMap(({ text }) =>
    [...text.matchAll(/^\| \w+ \| .+ \|$/gm)].map(([line]) =>
      line.split(' | ').map((cell) => cell.replaceAll(/^\| | \|$/g, '')),
    ),
  );

  test('what is not there, or not all of it, has a reason', () => {
    expect(rows.length).toBeGreaterThan(90);
    for (const row of rows) expect(row).toHaveLength(6);
    const differing = rows.filter(([, , , , , mark]) => mark !== 'same');
    expect(differing.filter(([, , , , why]) => why.trim() === '')).toEqual([]);
  });

  /** @param {Command} command @returns {string[]} its options, and those of its commands */
  function listOptions(command) {
    return [...command.options.map(({ long }) => String(long)), ...command.commands.flatMap(listOptions)];
  }

  test.each(experiments)('$name names options that there are', async ({ name, text }) => {
    const program = await createProgram();
    const known = listOptions(program);
    const lab = program.commands
      .find((command) => command.name() === 'run')
      ?.commands.find((command) => command.name() === path.parse(name).name);
    const code = [...text.matchAll(/`([^`]+)`/g)].map(([, words]) => words);
    const flagsIn = (/** @type {string[]} */ texts) => texts.flatMap((one) => one.match(/(?<=^| )--[a-z-]+/g) ?? []);
    expect(flagsIn(code.filter((words) => !words.startsWith('node '))).filter((flag) => !known.includes(flag))).toEqual(
      [],
    );
    const own = flagsIn(code.filter((words) => words.startsWith('--')));
    expect(own.filter((flag) => lab && !listOptions(lab).includes(flag))).toEqual([]);
  });
});

describe('pictures', () => {
  test('the pictures of docs/ show the page and the report as they are', async () => {
    const isCurrent = (await readFile('docs/pictures.sha256', 'utf8')).trim() === (await hashSources());
    expect(isCurrent ? 'current' : 'older than the page: take them anew with `npm run pictures`').toBe('current');
  });
});
