/** @import { Command } from 'commander' */

/**
 * What to type for each command, where its name alone is not enough. Help ends with it, and so does the answer to a
 * mistake. The lines for an app of one's own are those of README.md.
 * @type {Record<string, string>}
 */
const EXAMPLES = {
  'pool-lab': 'run mixed',
  'pool-lab workshop': 'workshop 1',
  'pool-lab workshop guess': 'workshop guess 2 15',
  'pool-lab workshop verify': 'workshop verify 2',
  'pool-lab workshop watch': 'workshop watch 2',
  'pool-lab workshop hint': 'workshop hint 2',
  'pool-lab workshop puzzle': 'workshop puzzle 3',
  'pool-lab workshop join': 'workshop join http://192.168.1.5:3300/join/ABC234 --name Ada',
  'pool-lab case': 'case 1',
  'pool-lab watch': 'watch --port 9000 --mongo embedded -- node examples/article-app.js',
  'pool-lab attach': 'attach 12345',
  'pool-lab record': 'record --url http://127.0.0.1:9000 --seconds 60 --out trace.jsonl',
  'pool-lab doctor': 'doctor http://127.0.0.1:9000',
  'pool-lab sweep':
    "sweep loadtests/users-and-admins.yaml --mongo embedded --pool-sizes 5,10,15 --slo '/fast p95 < 100ms' " +
    '-- node examples/article-app.js',
  'pool-lab predict': 'predict loadtests/mixed.yaml --service /slow=5000 --service /fast=2',
  'pool-lab advise': "advise --trace trace.jsonl --slo '/fast p95 < 100ms'",
  'pool-lab run': 'run mixed',
  'pool-lab run mixed': 'run mixed --pool-sizes 1,3,10',
  'pool-lab report': 'report results/*/mixed.json',
  'pool-lab replay': 'replay examples/slow-deploy.jsonl',
  'pool-lab replicate': 'replicate --source mongodb://127.0.0.1:27017/ --target mongodb://127.0.0.1:27018/',
};

/** The words that lead to a command, such as `pool-lab run mixed`. @param {Command} command @returns {string} */
export function pathOf(command) {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}

/** A line to copy. @param {Command} command */
export function exampleOf(command) {
  const path = pathOf(command);
  return `npx ${EXAMPLES[path] === undefined ? path : `pool-lab ${EXAMPLES[path]}`}`;
}
