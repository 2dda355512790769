import { describeHolders, nameRoute } from 'mongodb-pool-page/universal/holder-words.js';

/** @import { Proof, RecordedTrace } from 'mongodb-pool-predictor' */
/** @import { ChartSpec, LabView, Result } from '../report/result-types.js' */

/** Steps of a time axis, and how many a line can show. */
const STEPS_MS = [1, 2, 5, 10, 30, 60, 300, 600, 1800, 3600, 21_600].map((seconds) => seconds * 1000);
const DAY_MS = 86_400_000;
const MAX_POINTS = 120;

/** @typedef {Record<string, number>} Line values by time */
/**
 * @typedef {{ requests: number, mostWaiting: number, waiting: Line, active: Line, ratePerSec: Line }} ProcessFigures
 */

/**
 * Shows a history: over time, and its longest waits.
 *
 * @param {RecordedTrace} trace
 * @param {Proof[]} waits the longest ones
 * @param {string} verdict why requests waited
 * @returns {{ lab: LabView, result: Result }[]}
 */
export function viewHistory(trace, waits, verdict) {
  const { originMs, processes, seconds } = trace;
  const startedAt = new Date(originMs + Math.min(0, seconds.loop[0]?.atMs ?? 0)).toISOString();
  const common = { startedAt, environment: {}, settings: { history: trace.file } };
  const figuresOf = createFigures(trace);
  const nameProcess = (/** @type {number | undefined} */ pid) => (pid === undefined ? 'the app' : `process ${pid}`);
  const nameWait = (/** @type {Proof} */ { atMs }) => formatTime(originMs + atMs);
  const pids = [...new Set(processes.map(({ pid }) => pid))];
  return [
    {
      lab: createTimeView(verdict),
      result: {
        ...common,
        lab: 'history',
        variants: pids.map((pid) => ({ name: nameProcess(pid), settings: {}, measured: figuresOf(pid) })),
      },
    },
    {
      lab: createWaitsView(originMs),
      result: {
        ...common,
        lab: 'longest-waits',
        variants: waits.map((wait) => ({ name: nameWait(wait), settings: {}, measured: wait })),
      },
    },
  ];
}

/** @param {string} verdict @returns {LabView<object, ProcessFigures>} */
function createTimeView(verdict) {
  /**
   * @param {string} title
   * @param {string} yLabel
   * @param {'waiting' | 'active' | 'ratePerSec'} figure
   * @returns {ChartSpec<object, ProcessFigures>}
   */
  const chart = (title, yLabel, figure) => ({
    title,
    xLabel: 'Time, UTC',
    yLabel,
    unit: '',
    kind: 'line',
    category: ({ name }) => name,
    series: [],
    timeSeries: ({ measured }) => measured?.[figure],
  });
  return {
    name: 'history',
    title: 'The history of the pools',
    question: 'When did requests wait for a connection, and why?',
    howToRead: [
      'Each point is the largest value of its time, and each line a process of the app.',
      'The history has every second with requests, and the five requests that waited longest in each of them.',
    ],
    columns: [
      { heading: 'process', value: ({ name }) => name },
      { heading: 'requests', value: ({ measured }) => measured?.requests },
      { heading: 'most waiting', value: ({ measured }) => measured?.mostWaiting },
    ],
    charts: [
      chart('Who waited', 'Waiting for a connection', 'waiting'),
      chart('Connections in use', 'Connections', 'active'),
      chart('The load', 'Requests per second', 'ratePerSec'),
    ],
    takeaway: () => verdict,
  };
}

/** @param {number} originMs @returns {LabView<object, Proof>} */
function createWaitsView(originMs) {
  return {
    name: 'longest-waits',
    title: 'The longest waits',
    question: 'Which requests waited longest for a connection, and who had all of them?',
    howToRead: ['Of each request, the longest of its waits. Times are UTC.'],
    columns: [
      { heading: 'at, UTC', value: ({ name }) => name },
      { heading: 'route', value: ({ measured }) => nameRoute(measured?.route ?? null) },
      { heading: 'waited', unit: 'ms', value: ({ measured }) => measured?.waitMs },
      {
        heading: 'behind',
        value: ({ measured }) => measured && (nameMain(measured.behind) ?? measured.reason),
      },
      { heading: 'for', value: ({ measured }) => measured?.operation, detail: true },
      { heading: 'client', value: ({ measured }) => measured?.client, detail: true },
    ],
    charts: [],
    takeaway: ({ variants: [{ measured }] }) => describeLongest(originMs, /** @type {Proof} */ (measured)),
  };
}

/**
 * Names the largest group: a terminal has room for one.
 * @param {Proof['behind']} behind
 * @returns {string | undefined}
 */
function nameMain(behind) {
  const [main, ...others] = behind.toSorted((a, b) => b.count - a.count);
  const count = others.reduce((sum, other) => sum + other.count, 0);
  return main && `${describeHolders([main])}${count > 0 ? ` and ${count} other${count > 1 ? 's' : ''}` : ''}`;
}

/** @param {number} originMs @param {Proof} wait */
function describeLongest(originMs, { atMs, route, waitMs, behind }) {
  const who = behind.length > 0 ? ` behind ${describeHolders(behind)}` : '';
  return (
    `The longest wait was ${(waitMs / 1000).toFixed(1)} s, of ${nameRoute(route)} at ` +
    `${formatTime(originMs + atMs)} UTC${who}.`
  );
}

/** @param {RecordedTrace} trace @returns {(pid: number | undefined) => ProcessFigures} of a process */
function createFigures({ originMs, processes, seconds: { loop } }) {
  const [firstMs, lastMs] = loop.reduce(
    ([from, to], { atMs }) => [Math.min(from, originMs + atMs), Math.max(to, originMs + atMs)],
    [Infinity, -Infinity],
  );
  const stepMs = STEPS_MS.find((ms) => (lastMs - firstMs) / ms < MAX_POINTS) ?? DAY_MS;
  const timeOf = (/** @type {number} */ ms) => formatTime(Math.floor(ms / stepMs) * stepMs);
  /** @type {[string, number][]} */
  const times = [];
  for (let ms = firstMs; ms < lastMs + stepMs; ms += stepMs) times.push([timeOf(ms), 0]);
  return (pid) => {
    const own = loop.filter(({ process }) => processes[process].pid === pid);
    /** @param {'waiting' | 'active' | 'requests'} name @returns {Line} */
    const draw = (name) => {
      const line = Object.fromEntries(times);
      for (const second of own) {
        const time = timeOf(originMs + second.atMs);
        line[time] = Math.max(line[time] ?? 0, second[name] ?? 0);
      }
      return line;
    };
    return {
      requests: own.reduce((sum, { requests = 0 }) => sum + requests, 0),
      mostWaiting: own.reduce((most, { waiting = 0 }) => Math.max(most, waiting), 0),
      waiting: draw('waiting'),
      active: draw('active'),
      ratePerSec: draw('requests'),
    };
  };
}

/** @param {number} ms since the epoch @returns {string} in UTC, such as 11-25 18:30:05 */
export function formatTime(ms) {
  return new Date(ms).toISOString().slice(5, 19).replace('T', ' ');
}
