// Writes the table of dependencies in CONTRIBUTING.md anew. The reasons stay; licences come from the installed packages,
// dates from the registry that npm uses. A new dependency gets a row whose reason is still to be written.
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const PAGE = new URL('../CONTRIBUTING.md', import.meta.url);
const PLACE = /(?<=<!-- dependencies -->\n).*(?=<!-- \/dependencies -->)/s;
const run = promisify(execFile);

const page = await readFile(PAGE, 'utf8');
if (!PLACE.test(page)) throw new Error('the page has no lines <!-- dependencies --> and <!-- /dependencies -->');
const reasons = new Map([...page.matchAll(/^\| (\S+) \| (.*?) \|.*\|$/gm)].map(([, name, why]) => [name, why]));
const { dependencies, devDependencies } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));

const tables = [
  await renderTable(Object.keys(dependencies)), '', 'For development alone:', '', await renderTable(Object.keys(devDependencies)), '',
];
await writeFile(PAGE, page.replace(PLACE, () => tables.join('\n')));

/** @param {string[]} names */
async function renderTable(names) {
  const rows = ['| package | why | licence | last release |', '| --- | --- | --- | --- |'];
  for (const name of names) {
    const { license } = JSON.parse(await readFile(new URL(`../node_modules/${name}/package.json`, import.meta.url), 'utf8'));
    rows.push(`| ${name} | ${reasons.get(name) ?? ''} | ${license} | ${await findLastRelease(name)} |`);
  }
  return rows.join('\n');
}

/**
 * @param {string} name of a package
 * @returns {Promise<string>} its date and version
 */
async function findLastRelease(name) {
  const { stdout } = await run('npm', ['view', name, 'version', 'time', '--json'], { shell: process.platform === 'win32' });
  const { version, time } = JSON.parse(stdout);
  return `${time[version].slice(0, 10)}, ${version}`;
}
