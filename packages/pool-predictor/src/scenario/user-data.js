import { textOf } from '../base/json-value.js';

/** @import { TemplateValues } from './route-names.js' */
/** @import { Issues } from './workload-issues.js' */
/** @import { YamlPath } from './yaml-source.js' */

/** More values than this are ids rather than endpoints. */
const MAX_CHOICES = 50;

/**
 * @typedef {{ values: TemplateValues, share: number }} DataChoice values that a user may draw, and the share of users
 *   who do
 *
 * @typedef {object} DataSource rows of which each user draws one
 * @property {YamlPath} path in the scenario file
 * @property {string} from for messages
 * @property {string[]} fields
 * @property {boolean} isInTurn
 * @property {() => unknown[][] | undefined} rows
 *
 * @typedef {(name: string) => unknown[] | undefined} DataLists the rows of a CSV file with loadAll, by name
 */

/**
 * Reads the data that Artillery gives to users: rows of CSV files (config.payload) and variables (config.variables).
 * https://www.artillery.io/docs/reference/test-script#payload---loading-data-from-csv-files
 *
 * @param {any} config
 * @param {Issues} issues
 * @param {(file: string) => string} [readPayload] reads a CSV file, or throws an error
 */
export function createUserData(config, issues, readPayload) {
  const isOne = !Array.isArray(config.payload);
  const specs = [config.payload].flat().filter((spec) => typeof spec === 'object' && spec !== null);
  /** @param {any} spec @param {number} index */
  const pathOf = (spec, index) => (isOne ? ['config', 'payload'] : ['config', 'payload', index]);
  const rowsOf = createRowReader(issues, readPayload);
  /** @type {DataSource[]} Later ones win. */
  const sources = [
    ...specs.map((spec, index) => ({
      path: pathOf(spec, index),
      from: textOf(spec.path),
      isInTurn: spec.order === 'sequence',
      fields: spec.loadAll ? [] : fieldsOf(spec),
      rows: () => rowsOf(spec, pathOf(spec, index)),
    })),
    ...Object.entries(Object(config.variables)).map(([name, values]) => ({
      path: ['config', 'variables', name],
      from: `variables.${name}`,
      isInTurn: false,
      fields: [name],
      rows: () => [values].flat().map((value) => [value]),
    })),
  ];

  /** @param {string} name */
  function listOf(name) {
    const index = specs.findIndex((spec) => spec.loadAll && spec.name === name);
    const spec = specs[index];
    const rows = spec && rowsOf(spec, pathOf(spec, index));
    const fields = fieldsOf(spec);
    return rows?.map((/** @type {string[]} */ row) =>
      fields.length === 0 ? row : Object.fromEntries(fields.map((field, at) => [field, row[at]])),
    );
  }

  /**
   * Lists what users draw for these templates. Templates without data have no value.
   *
   * @param {string[]} templates
   * @returns {DataChoice[]} shares add up to 1
   */
  function chooseFor(templates) {
    const draws = sources.flatMap((source, index) => {
      const own = templates.filter(
        (template) => sources.findLastIndex(({ fields }) => fields.includes(template)) === index,
      );
      const choices = own.length > 0 ? listChoices(source, own) : [];
      return choices.length > 0 ? [{ source, own, choices }] : [];
    });
    const count = draws.reduce((product, { choices }) => product * choices.length, 1);
    for (const {
      source: { path, from, isInTurn },
      own,
      choices,
    } of draws) {
      const names = own.map((template) => `{{ ${template} }}`).join(', ');
      if (count > MAX_CHOICES)
        issues.warn(path, `${names} has ${choices.length} values in ${from}: they count as one route`);
      else if (choices.length > 1) issues.warn(path, describeDraw(names, from, choices.length, isInTurn));
    }
    if (count > MAX_CHOICES) return [{ values: {}, share: 1 }];
    return draws.reduce(
      (all, { choices }) =>
        all.flatMap((one) =>
          choices.map(({ values, share }) => ({ values: { ...one.values, ...values }, share: one.share * share })),
        ),
      [{ values: {}, share: 1 }],
    );
  }

  return { lists: /** @type {DataLists} */ (listOf), chooseFor };
}

/** @param {string} names @param {string} from @param {number} count @param {boolean} isInTurn */
function describeDraw(names, from, count, isInTurn) {
  const draw = isInTurn
    ? `users take the values of ${from} in turn; here each takes one`
    : `each user takes a value of ${from}`;
  return `${names}: ${draw} at random. Its ${count} values are separate routes`;
}

/** @param {DataSource} source @param {string[]} templates some of its fields @returns {DataChoice[]} */
function listChoices({ fields, rows }, templates) {
  const all = rows() ?? [];
  /** @type {Map<string, DataChoice>} */
  const choices = new Map();
  for (const row of all) {
    const values = Object.fromEntries(
      templates.map((template) => [template, textOf(row[fields.indexOf(template)] ?? '')]),
    );
    const key = JSON.stringify(values);
    const choice = choices.get(key) ?? { values, share: 0 };
    choices.set(key, { values, share: choice.share + 1 / all.length });
  }
  return [...choices.values()];
}

/** @param {any} spec @returns {string[]} */
function fieldsOf(spec) {
  return Array.isArray(spec?.fields) ? spec.fields.map(textOf) : [];
}

/**
 * Reads each file once, and only when it is needed.
 * @param {Issues} issues
 * @param {(file: string) => string} [readPayload]
 */
function createRowReader(issues, readPayload) {
  /** @type {Map<any, string[][] | undefined>} */
  const known = new Map();
  return (/** @type {any} */ spec, /** @type {YamlPath} */ path) => {
    if (!known.has(spec))
      known.set(
        spec,
        issues.attemptOrWarn(path, () => readRows(spec, readPayload)),
      );
    return known.get(spec);
  };
}

/** @param {any} spec @param {(file: string) => string} [readPayload] */
function readRows({ path, delimiter, skipHeader, options }, readPayload) {
  const file = textOf(path);
  if (options !== undefined) throw new Error(`${file} is not read, because options can't be used here`);
  if (!readPayload) throw new Error(`${file} is not read: there is no readPayload`);
  const rows = parseCsv(readPayload(file), typeof delimiter === 'string' ? delimiter : ',');
  const data = skipHeader === true ? rows.slice(1) : rows;
  if (data.length === 0) throw new Error(`${file} has no rows`);
  return data;
}

/**
 * Reads CSV as RFC 4180 describes it (https://www.rfc-editor.org/rfc/rfc4180). Empty lines are left out.
 *
 * @param {string} text
 * @param {string} delimiter one character
 * @returns {string[][]} rows of values
 */
function parseCsv(text, delimiter) {
  /** @type {string[][]} */
  const rows = [];
  /** @type {string[]} */
  let row = [];
  let value = '';
  let isQuoted = false;

  function endRow() {
    row.push(value);
    if (row.length > 1 || value !== '') rows.push(row);
    row = [];
    value = '';
  }

  const start = text.startsWith('\uFEFF') ? 1 : 0;
  for (let i = start; i < text.length; i++) {
    const char = text[i];
    if (isQuoted) {
      if (char !== '"') value += char;
      else if (text[i + 1] === '"') value += text[++i];
      else isQuoted = false;
    } else if (char === '"' && value === '') {
      isQuoted = true;
    } else if (char === delimiter) {
      row.push(value);
      value = '';
    } else if (char === '\n') {
      endRow();
    } else if (char !== '\r') {
      value += char;
    }
  }
  endRow();
  return rows;
}
