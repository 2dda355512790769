// Child process of a test: argv[2] is a list of command lines, as JSON. Reads each as Artillery would, runs none, and
// prints a list: what it understood, or null for what it would not take.
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const manifest = createRequire(import.meta.url).resolve('artillery/package.json');
const { Parser } = createRequire(manifest)('@oclif/core');

/** @param {string} line such as `run-fargate --count 10 test.yaml` */
async function parse(line) {
  const [name, ...argv] = line.split(' ');
  const file = path.join(path.dirname(manifest), 'dist', 'lib', 'cmds', `${name}.js`);
  const { default: command } = await import(pathToFileURL(file).href);
  // Artillery itself takes an option that it does not know for the name of a file.
  return Parser.parse(argv, { flags: command.flags, args: command.args, strict: true }).catch(() => null);
}

process.stdout.write(JSON.stringify(await Promise.all(JSON.parse(process.argv[2]).map(parse))));
// What it loads for AWS would keep the process alive.
process.exit();
