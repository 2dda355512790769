// Asks some commands about the corpus, and exits with 1 at the first answer that is not the stored one.
import { hasChanged } from '../corpus/compare-answers.js';
import { askAll, listRecordings } from '../corpus/recordings.js';

const commands = process.argv.slice(2);
await askAll(await listRecordings(), {
  commands,
  until({ stored }, answers) {
    const pick = (/** @type {any} */ all) => Object.fromEntries(commands.map((command) => [command, all?.[command]]));
    if (!hasChanged(/** @type {any} */ (pick(stored)), /** @type {any} */ (pick(answers)))) return false;
    process.exitCode = 1;
    return true;
  },
});
