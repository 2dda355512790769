// Writes an index and a page for each published document into docs/experiments/, from what the labs know of it.
// With --check it writes nothing, and fails if a page is out of date. Another folder than docs/ can follow.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { handlesDocument } from '../lab/labs/handles/handles-document.js';
import { labs } from '../lab/labs/index.js';
import { insertsDocument } from '../lab/labs/inserts/inserts-document.js';
import { mixedDocument } from '../lab/labs/mixed/mixed-document.js';
import { replicationDocument } from '../lab/labs/replication/replication-document.js';
import { sessionsDocument } from '../lab/labs/sessions/sessions-document.js';

/** @import { DocumentRows } from '../lab/report/result-types.js' */

/** @type {Record<string, DocumentRows>} */
const DOCUMENTS = {
  sessions: sessionsDocument,
  replication: replicationDocument,
  handles: handlesDocument,
  mixed: mixedDocument,
  inserts: insertsDocument,
};

const HOW_TO_READ = `*y*: all of it is here. *partly*, *missing*: only some of it, or none, for the reason in the row.
\`node scripts/write-experiments.js\` writes these pages from the data of the labs.`;

/** @param {(string | number)[]} cells */
function renderRow(cells) {
  return `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`;
}

/** @param {string[]} headings @param {(string | number)[][]} rows */
function renderTable(headings, rows) {
  return [headings, headings.map(() => '---'), ...rows].map(renderRow).join('\n');
}

/** @param {DocumentRows[]} documents */
function countRows(documents) {
  const rows = documents.flatMap((document) => Object.values(document).flat());
  const [partly, missing] = ['partly', 'missing'].map((word) => rows.filter(({ covered }) => covered === word).length);
  return [rows.length, rows.length - partly - missing, partly, missing];
}

/** @param {string} name of a lab */
function renderPage(name) {
  const { title, source } = labs[name];
  const elsewhere = (source?.foundElsewhere ?? []).map(({ fact, where }) => `- ${fact} ([source](${where}))`);
  const rows = Object.entries(DOCUMENTS[name]).flatMap(([part, each]) =>
    each.map(({ says, here, why = '', covered = 'y' }) => [part, says, here, why, covered]),
  );
  return [
    `# ${title}`,
    `What [${source?.title}](${source?.url}) says, and what \`pool-lab run ${name}\` shows of it.`,
    HOW_TO_READ,
    ...(elsewhere.length > 0 ? [`Not in the document, but found elsewhere:\n\n${elsewhere.join('\n')}`] : []),
    renderTable(['', 'the document', 'here', 'why it differs', ''], rows),
  ];
}

function renderIndex() {
  const rows = Object.entries(DOCUMENTS).map(([name, document]) => [
    `[${name}](${name}.md)`,
    String(labs[name].source?.title),
    ...countRows([document]),
  ]);
  return [
    '# The published experiments',
    'Five experiments of this lab were first published by others. A published figure beside ours is a promise: it is ' +
      'the same,\nor there is a reason. These pages go through each document, row by row.',
    HOW_TO_READ,
    renderTable(
      ['experiment', 'document', 'rows', 'y', 'partly', 'missing'],
      [...rows, ['all', '', ...countRows(Object.values(DOCUMENTS))]],
    ),
  ];
}

const {
  values: { check },
  positionals: [folder = path.join(import.meta.dirname, '../docs')],
} = parseArgs({ options: { check: { type: 'boolean', default: false } }, allowPositionals: true });
const pages = [
  { file: 'experiments/README.md', parts: renderIndex() },
  ...Object.keys(DOCUMENTS).map((name) => ({ file: `experiments/${name}.md`, parts: renderPage(name) })),
].map(({ file, parts }) => ({ file: path.join(folder, file), text: `${parts.join('\n\n')}\n` }));

if (check) {
  const old = pages
    .filter(({ file, text }) => readFileSync(file, 'utf8') !== text)
    .map(({ file }) => path.basename(file));
  if (old.length > 0) {
    process.stderr.write(`Out of date: ${old.join(', ')}. Run node scripts/write-experiments.js\n`);
    process.exitCode = 1;
  }
} else {
  mkdirSync(path.join(folder, 'experiments'), { recursive: true });
  for (const { file, text } of pages) writeFileSync(file, text);
}
