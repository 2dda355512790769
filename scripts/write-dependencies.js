// Writes the tables of dependencies in CONTRIBUTING.md anew. The reasons stay; licences come from the installed
// packages, dates from the registry that npm uses. A new dependency gets a row whose reason is still to be written.
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const PAGE = new URL('../CONTRIBUTING.md', import.meta.url);
const PLACE = /(?<=<!-- dependencies -->\n).*(?=<!-- \/dependencies -->)/s;
const run = promisify(execFile);

const page = await readFile(PAGE, 'utf8');
if (!PLACE.test(page)) throw new Error('the page has no lines <!-- dependencies --> and <!-- /dependencies -->');
const reasons = new Map([...page.matchAll(/^\| (\S+) \| (.*?) \|.*\|$/gm)].map(([, name, why]) => [name, why]));
const { dependencies, devDependencies } = await readPackage('..');

const [own, development] = [await renderTable(dependencies), await renderTable(devDependencies)];
await writeFile(PAGE, page.replace(PLACE, () => `${own}\n\nFor development alone:\n\n${development}\n`));

/** @param {Record<string, string>} packages by name */
async function renderTable(packages) {
  const rows = ['| package | why | licence | last release |', '| --- | --- | --- | --- |'];
  for (const name of Object.keys(packages)) {
    const { license } = await readPackage(`../node_modules/${name}`);
    rows.push(`| ${name} | ${reasons.get(name) ?? ''} | ${license} | ${await findLastRelease(name)} |`);
  }
  return rows.join('\n');
}

/**
 * @param {string} name of a package
 * @returns {Promise<string>} its date and version
 */
async function findLastRelease(name) {
  const args = ['view', name, 'version', 'time', '--json'];
  const { stdout } = await run('npm', args, { shell: process.platform === 'win32' });
  const { version, time } = JSON.parse(stdout);
  return `${time[version].slice(0, 10)}, ${version}`;
}

/** @param {string} folder */
async function readPackage(folder) {
  return JSON.parse(await readFile(new URL(`${folder}/package.json`, import.meta.url), 'utf8'));
}
