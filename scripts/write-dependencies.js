// Updates the tables of dependencies in CONTRIBUTING.md. Licences come from the installed packages, dates from npm's
// registry. Reasons are kept; for a new dependency, write one.
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const PAGE = new URL('../CONTRIBUTING.md', import.meta.url);
const PLACE = /(?<=<!-- dependencies -->\n).*(?=<!-- \/dependencies -->)/s;
const run = promisify(execFile);

const page = await readFile(PAGE, 'utf8');
if (!PLACE.test(page))
  throw new Error('CONTRIBUTING.md needs the lines <!-- dependencies --> and <!-- /dependencies -->');
const reasons = new Map([...page.matchAll(/^\| (\S+) \| (.*?) \|.*\|$/gm)].map(([, name, why]) => [name, why]));
const { dependencies, devDependencies } = await readJson('../package.json');
const labPackage = await readJson('../lab/package.json');
const ofLab = { ...labPackage.dependencies, ...labPackage.peerDependencies };
const { dependencies: ofPage } = await readJson('../packages/pool-page/package.json');
const { packages: locked } = await readJson('../package-lock.json');

const own = await renderTable(dependencies);
const lab = await renderTable(without({ ...ofPage, ...ofLab }, dependencies));
const development = await renderTable(without(devDependencies, ofLab));
await writeFile(
  PAGE,
  page.replace(
    PLACE,
    () => `${own}\n\nFor the lab and the live page:\n\n${lab}\n\nFor development only:\n\n${development}\n`,
  ),
);

/** @param {Record<string, string>} ranges @param {Record<string, string>} others @returns {Record<string, string>} */
function without(ranges, others) {
  return Object.fromEntries(
    Object.entries(ranges)
      .filter(([name]) => !others[name])
      .sort(),
  );
}

/** @param {Record<string, string>} ranges by name */
async function renderTable(ranges) {
  const rows = ['| package | why | licence | last release |', '| --- | --- | --- | --- |'];
  for (const name of Object.keys(ranges)) {
    // Links are packages of this repository.
    if (locked[`node_modules/${name}`].link) continue;
    const { license } = await readJson(`../node_modules/${name}/package.json`);
    rows.push(`| ${name} | ${reasons.get(name) ?? ''} | ${license} | ${await findLastRelease(name)} |`);
  }
  return rows.join('\n');
}

/** @param {string} name @returns {Promise<string>} date and version */
async function findLastRelease(name) {
  const args = ['view', name, 'version', 'time', '--json'];
  const { stdout } = await run('npm', args, { shell: process.platform === 'win32' });
  const { version, time } = JSON.parse(stdout);
  return `${time[version].slice(0, 10)}, ${version}`;
}

/** @param {string} file */
async function readJson(file) {
  return JSON.parse(await readFile(new URL(file, import.meta.url), 'utf8'));
}
