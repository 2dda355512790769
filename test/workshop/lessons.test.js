import { expect, test } from '@jest/globals';
import { readLessons } from '../../src/workshop/lessons.js';
import { renderMarkdown } from '../../src/workshop/markdown.js';
import { commandsOf } from '../support/commands-of.js';
import { findFreePort } from '../support/free-port.js';
import { cutNetwork } from '../support/offline.js';
import { createWorkbench } from '../support/workbench.js';

const lessons = await readLessons();
const names = lessons.map(({ name }) => name);
const prefix = await cutNetwork();
const onlineTest = prefix ? test : test.skip;

/** A load of seconds with waits that stand out: two users, one second apart, each with a bus of 1.5 s. */
const SHORT = '--environment smoke --slow-ms 1500';

/** What is put behind a command so that it takes seconds; a later option wins over one that the lesson gives. */
const SHORTENED = /** @type {Record<string, string>} */ ({
  'npx pool-lab run mixed --pool-sizes 1': SHORT,
  'npx pool-lab run mixed --pool-sizes 1,3,10 --parallel': `${SHORT} --pool-sizes 1,3`,
  'npx pool-lab run mixed --pool-sizes 4,5,6 --parallel': `${SHORT} --pool-sizes 2`,
  'npx pool-lab run mixed --pool-sizes 2': SHORT,
});

test('the lessons are numbered from 1', () => {
  expect(names.map((name) => Number(name.slice(0, 2)))).toEqual(names.map((_, index) => index + 1));
});

test.each(lessons)('$name has all its parts, and fits a terminal', ({ text, title, name, minutes }) => {
  expect(text.startsWith(`# ${title}\n`)).toBe(true);
  expect([...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)).toEqual(
    ['The question', 'Do it', 'What you should see', 'Why', 'A twist', 'Check yourself']);
  expect(commandsOf(text).at(-1)).toContain(`npx pool-lab workshop verify ${name}`);
  expect(minutes).toBeGreaterThanOrEqual(5);
  expect(minutes).toBeLessThanOrEqual(15);
  // A command is not broken, so that it can be copied.
  const prose = renderMarkdown(text.replaceAll(/^```sh\n.+?^```/gms, ''));
  expect(prose.split('\n').filter((line) => line.length > 80)).toEqual([]);
});

onlineTest('nothing beyond loopback can be reached from where the lessons are tried', async () => {
  const bench = await createWorkbench({ prefix });
  // 192.0.2.1 is set aside for documentation (RFC 5737).
  expect(await bench.run('npx pool-lab workshop verify 1 --app http://192.0.2.1')).toMatchObject({
    code: 1, said: expect.stringContaining('ENETUNREACH'),
  });
});

test.concurrent.each(names)('%s: the check fails before its commands were run, and passes after', async (name) => {
  const port = await findFreePort();
  const bench = await createWorkbench({ prefix, env: { PORT: String(port), SLOW_MS: '2500' } });
  const commands = commandsOf(lessons.find((lesson) => lesson.name === name)?.text ?? '');
  const [verify] = commands.slice(-1);
  expect(await bench.run(verify)).toMatchObject({ code: 1 });
  const started = [];
  for (const command of commands) {
    if (command.endsWith('npm start')) {
      const app = bench.start(command);
      await app.says('listening on');
      started.push(app);
      continue;
    }
    const target = command.startsWith('npx artillery') ? `--target http://127.0.0.1:${port}` : '';
    const { code, said } = await bench.run(`${command} ${SHORTENED[command] ?? ''} ${target}`);
    expect({ command, code, said }).toEqual({ command, code: 0, said });
    if (command === verify) expect(said).toContain('Right.');
  }
  for (const app of started) {
    app.interrupt();
    expect(await app.ended).toMatchObject({ code: 0 });
  }
}, 60_000);
