import fc from 'fast-check';
import { openReports } from '../../harness/attach-reports.js';
import { changesOf, texts } from 'test-support/fuzz-arbitraries.js';
import { require } from 'test-support/fuzz-outcome.js';

const CLIENT = { name: null, hosts: ['127.0.0.1:27017'], maxPoolSize: 4, replacedMaxPoolSize: 100 };
const REPORT = {
  pid: 7,
  threadId: 0,
  command: 'app.js',
  url: 'http://127.0.0.1:5555/',
  ports: [3000],
  clients: [CLIENT],
};

/** @type {Record<string, import('test-support/fuzz-outcome.js').FuzzTarget>} */
export const targets = {
  'attach reports': {
    arbitrary: fc.oneof(
      { weight: 4, arbitrary: changesOf([REPORT]).map((report) => JSON.stringify(report)) },
      { weight: 1, arbitrary: texts },
    ),
    open: openReports,
    async check(body, { url, processes }) {
      const { status } = await fetch(url, { method: 'POST', body });
      require(status === 204 || status === 400, `it answered ${status}`);
      for (const report of processes.splice(0)) require(isWhole(report), `it took ${body}`);
    },
  },
};

/** @param {import('../../harness/attach-reports.js').AttachedProcess} report */
function isWhole({ pid, threadId, command, ports, clients }) {
  return (
    [pid, threadId, ...ports].every(Number.isFinite) &&
    typeof command === 'string' &&
    clients.every(
      ({ hosts, maxPoolSize }) => hosts.every((host) => typeof host === 'string') && Number.isFinite(maxPoolSize),
    )
  );
}
