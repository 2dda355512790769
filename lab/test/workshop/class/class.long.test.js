import { once } from 'node:events';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import axe from 'axe-core';
import { describeInBrowser, launchChromium } from 'test-support/chromium.js';
import { scratchFolder } from 'test-support/cleanup.js';
import { findFreePort } from 'test-support/processes.js';
import { until } from 'test-support/waiting.js';
import { writeCard } from '../../../workshop/card.js';
import { listClassLessons } from '../../../workshop/class/list-class-lessons.js';
import { renderSheet } from '../../../workshop/class/sheet-page.js';
import { FIGURES, LESSONS } from './sample-lessons.js';
import { firstWhere, joinClass, post, readClassEvents, serveClass, spawnClass } from './serve-class.js';
import { readLessons } from '../../../workshop/lessons.js';
import { commandsOf } from '../../../../test/support/commands-of.js';
import { expectRefused, runCli } from '../../support/run-cli.js';

/** @import { Browser, BrowserContextOptions, Page } from 'playwright-core' */

const folder = await scratchFolder();
const port = await findFreePort();

describeInBrowser('the pages of a class', () => {
  /** @type {Browser} */
  let browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  /** @param {string} url @param {BrowserContextOptions} [options] */
  async function open(url, options) {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, ...options });
    page.setDefaultTimeout(15_000);
    /** @type {string[]} */
    const incidents = [];
    page.on('console', (message) => incidents.push(message.text()));
    page.on('pageerror', (error) => incidents.push(error.message));
    await page.goto(url);
    return { page, incidents };
  }

  /** @param {Page} page */
  async function findFaults(page) {
    await page.evaluate(`${axe.source}; undefined`);
    /** @type {{ violations: { id: string, nodes: { html: string }[] }[] }} */
    const { violations } = await page.evaluate(() => Reflect.get(globalThis, 'axe').run());
    const { scrollWidth, clientWidth } = await page.evaluate(() => {
      const { documentElement } = Reflect.get(globalThis, 'document');
      return { scrollWidth: documentElement.scrollWidth, clientWidth: documentElement.clientWidth };
    });
    return [
      ...violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`),
      ...(scrollWidth > clientWidth ? [`${scrollWidth} px wide in a window of ${clientWidth}`] : []),
    ];
  }

  /** The highest part of a section of the projector, up to the end of the window, in which nothing is drawn. */
  const findEmptyHeights = (/** @type {Page} */ page) =>
    page.evaluate(() => {
      const { document, getComputedStyle, innerHeight, NodeFilter } = /** @type {any} */ (globalThis);
      const end = innerHeight - Number.parseFloat(getComputedStyle(document.body).paddingBottom);
      return [...document.querySelectorAll('main > section')].map((section) => {
        const { top } = section.getBoundingClientRect();
        /** @type {[number, number][]} */
        const drawn = [];
        const add = (/** @type {any} */ { top: from, bottom: to, width }) => width > 0 && drawn.push([from, to]);
        const texts = document.createTreeWalker(section, NodeFilter.SHOW_TEXT);
        for (let node = texts.nextNode(); node; node = texts.nextNode()) {
          const range = document.createRange();
          range.selectNodeContents(node);
          if (node.data.trim() !== '') [...range.getClientRects()].forEach(add);
        }
        for (const part of section.querySelectorAll('button, svg')) add(part.getBoundingClientRect());
        for (const canvas of section.querySelectorAll('canvas')) {
          const box = canvas.getBoundingClientRect();
          if (box.width * box.height === 0) continue;
          const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
          for (let row = 0; row < canvas.height; row++) {
            const pixels = data.subarray(row * canvas.width * 4, (row + 1) * canvas.width * 4);
            const at = box.top + (row * box.height) / canvas.height;
            if (pixels.some((/** @type {number} */ value) => value > 0)) drawn.push([at, at + 2]);
          }
        }
        let [reached, most] = [top, 0];
        for (const [from, to] of drawn.sort((one, other) => one[0] - other[0])) {
          most = Math.max(most, from - reached);
          reached = Math.max(reached, to);
        }
        return Math.round(Math.max(most, end - reached));
      });
    });

  /** What stands at a place of the axis of the guesses. @param {Page} page @param {number} value */
  const readTick = (page, value) =>
    page.evaluate((at) => {
      const { Chart, document } = /** @type {any} */ (globalThis);
      const { ticks } = Chart.getChart(document.querySelector('#guesses canvas')).scales.x;
      return ticks.find((/** @type {any} */ tick) => tick.value === at)?.label;
    }, value);

  const LARGE = /** @type {const} */ ([
    [1920, 1080, 'light'],
    [2560, 1440, 'dark'],
  ]);

  test.each(LARGE)(
    'a projector of %i x %i pixels, %s: the last row reads the question, and nothing is empty or cut off',
    async (width, height, colorScheme) => {
      const token = 'only-the-teacher-knows';
      const { url, roll } = await serveClass({ lessons: await listClassLessons(), host: '0.0.0.0', token });
      const own = url.replace('0.0.0.0', '127.0.0.1');
      const { page, incidents } = await open(`${own}/#token=${token}`, {
        viewport: { width, height },
        colorScheme,
        reducedMotion: 'reduce',
      });
      const check = async (/** @type {string} */ stage) => {
        const fontPx = await page.evaluate('Number.parseFloat(getComputedStyle(question).fontSize)');
        const empty = await findEmptyHeights(page);
        const hasQrCode = await page.locator('#qr').isVisible();
        const scrolls = await page.evaluate('document.documentElement.scrollHeight > innerHeight');
        const isLegible = fontPx >= 32 || fontPx;
        // On a machine without a network there is no QR code.
        const isFull = Math.max(...empty.slice(0, hasQrCode ? 2 : 1)) <= 100 || empty;
        const faults = await findFaults(page);
        expect({ stage, scrolls, isLegible, isFull, faults }).toEqual({
          stage,
          scrolls: false,
          isLegible: true,
          isFull: true,
          faults: [],
        });
      };
      await page.getByText('Nobody has joined yet.').waitFor();
      await check('at first');
      const guesses = [9, 6, 4, 2, 100, 10];
      const phones = guesses.map((_, index) => roll.join(`Phone ${index}`, true));
      // A long question, with a tunnel and without one.
      for (const lesson of ['01-what-a-pool-is', '05-wait-queue', '08-remedies']) {
        roll.show(lesson);
        phones.forEach(({ id }, index) => roll.note({ learner: id, lesson, guess: guesses[index] }));
        await page.getByText('6 of 6 have guessed.').waitFor();
        await check(`${lesson}, guessed`);
        roll.reveal();
        await page.getByText(/^The answer is \d/).waitFor();
        await check(`${lesson}, revealed`);
      }
      for (let index = phones.length; index < 40; index++) roll.join(`Phone ${index}`, true);
      await page.getByText('40 in the room').waitFor();
      await check('a full room');
      expect(await readTick(page, 4)).toBe('4');
      expect(await page.getByText('0 done').count()).toBe(0);
      // What this test itself does to the canvases is none.
      expect(incidents.filter((text) => !text.startsWith('Canvas2D: Multiple readback'))).toEqual([]);
      await page.close();
    },
  );

  const VIEWS = /** @type {const} */ ([
    [1440, 'light'],
    [390, 'dark'],
  ]);

  test.each(VIEWS)('the projector at %i pixels, %s, before and after the reveal', async (width, colorScheme) => {
    const { url, learn } = await serveClass();
    const names = ['Ada', '<img src=x onerror=alert(1)>', 'Maximiliane-Alexandra-von-und-zu-Hohenfel', 'Jo'].map(
      (name) => name.slice(0, 40),
    );
    for (const [index, name] of names.entries()) {
      const learner = await learn(name);
      await learner.report({ guess: [0.5, 12, 20, 300][index] });
      if (index > 0)
        await learner.report({
          verdict: index > 1,
          figures: {
            measured: index > 1 ? 20 + index : null,
            points: [
              [1, 21_000],
              [3, 7000 + index],
            ],
          },
        });
    }
    const { page, incidents } = await open(url, { viewport: { width, height: 900 }, colorScheme });
    await page.getByRole('img', { name: '4 guesses from 0.5 to 300' }).waitFor();
    await page.getByText('4 of 4 have guessed, 2 of 4 have measured.').waitFor();
    expect(await findFaults(page)).toEqual([]);

    await page.getByRole('button', { name: 'Reveal the answer' }).click();
    await page.getByRole('img', { name: /2 measurements from 22 to 23/ }).waitFor();
    await page.getByRole('img', { name: /The slowest request by pool size, 6 measurements/ }).waitFor();
    expect(await findFaults(page)).toEqual([]);

    await page.getByRole('button', { name: 'Hide the names' }).click();
    expect(await page.getByText('Ada').count()).toBe(0);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: "Save the room's result" }).click();
    const file = path.join(await scratchFolder(), (await download).suggestedFilename());
    await (await download).saveAs(file);
    const result = await open(`file://${file}`, { viewport: { width, height: 900 }, colorScheme });
    expect(await findFaults(result.page)).toEqual([]);
    expect([...incidents, ...result.incidents]).toEqual([]);
    await Promise.all([page.close(), result.page.close()]);
  });

  test('at the reveal the tunnel plays the answer above the guesses, up to the moment that decides it', async () => {
    const { url, learn } = await serveClass();
    const ada = await learn('Ada');
    await ada.report({ guess: 4 });
    const live = await open(url);
    const still = await open(url, { reducedMotion: 'reduce' });
    const over = '4.5 s: 1 waiting, 1 gave up. The longest wait was 4.0 s.';
    expect(await live.page.locator('#replay').isVisible()).toBe(false);
    await live.page.getByRole('button', { name: 'Reveal the answer' }).click();
    await live.page.getByRole('img', { name: '1 of 1 lane busy, 2 waiting' }).waitFor();
    expect(await live.page.getByText(over).isVisible()).toBe(false);
    await still.page.getByText(over).waitFor();
    // Beside the curve of the room, the tunnel is still one.
    await ada.report({ verdict: true, figures: FIGURES });
    await live.page.getByRole('img', { name: /The slowest request by pool size/ }).waitFor();
    await live.page.getByRole('img', { name: /^\d of 1 lane busy/ }).waitFor();
    const [tunnel, guesses] = await Promise.all(
      ['.tunnel', '#guesses'].map((part) => live.page.locator(part).boundingBox()),
    );
    expect((tunnel?.y ?? 0) + (tunnel?.height ?? Infinity)).toBeLessThanOrEqual(guesses?.y ?? 0);
    expect(await findFaults(live.page)).toEqual([]);
    await live.page.getByText(over).waitFor();

    await live.page.getByRole('button', { name: 'Play it again' }).click();
    await live.page.getByText(over).waitFor({ state: 'hidden' });
    await live.page.getByRole('button', { name: 'Next lesson' }).click();
    await live.page.getByRole('heading', { name: 'The second' }).waitFor();
    expect(await live.page.locator('#replay').isVisible()).toBe(false);
    expect([...live.incidents, ...still.incidents]).toEqual([]);
    await Promise.all([live.page.close(), still.page.close()]);
  });

  test('a phone joins with the code, guesses, and sees the reveal; the projector follows', async () => {
    const { url, state, learn } = await serveClass();
    const projector = await open(url);
    const { page, incidents } = await open(`${url}/join`, { viewport: { width: 390, height: 844 } });
    await page.getByLabel('The code on the projector').fill(state.code.toLowerCase());
    await page.getByRole('button', { name: 'Find the class' }).click();
    await page.getByLabel('Your first name').fill('Ada');
    expect(await page.getByText('measurement').isVisible()).toBe(false);
    expect(await findFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Join' }).click();
    await page.getByLabel('Your guess, in seconds').fill('15');
    await page.getByRole('button', { name: 'Guess' }).click();
    await page.getByText('Your guess: 15 seconds. You can change it until the reveal.').waitFor();
    await projector.page.getByRole('img', { name: '1 guess: 15 s.' }).waitFor();
    expect(await findFaults(page)).toEqual([]);

    await page.reload();
    await page.getByText('Your guess: 15 seconds.').waitFor();
    await projector.page.getByRole('button', { name: 'Reveal the answer' }).click();
    await page.getByRole('img', { name: '1 guess: 15' }).waitFor();
    expect(await page.getByRole('button', { name: 'Guess' }).isVisible()).toBe(false);
    await page.getByText('You said 15 s. Nobody has measured it yet.').waitFor();
    await projector.page.getByRole('button', { name: 'Next lesson' }).click();
    await page.getByRole('heading', { name: 'The second' }).waitFor();

    // A lesson whose answer is calculated gives points, by keyboard alone.
    await projector.page.getByRole('button', { name: 'Next lesson' }).press('Enter');
    await (await learn('Ben')).report({ lesson: '03-third', guess: 4 });
    await page.getByLabel('Your guess, in seconds').fill('nine');
    await page.getByLabel('Your guess, in seconds').press('Enter');
    await page.getByText('Write a number of seconds, such as 9 or 0.5.').waitFor();
    await page.getByLabel('Your guess, in seconds').fill('9 s');
    await page.getByLabel('Your guess, in seconds').press('Enter');
    await page.getByText('Your guess: 9 seconds.').waitFor();
    await projector.page.getByRole('button', { name: 'Reveal the answer' }).press('Enter');
    await page.getByText('You said 9 s. It is 6 s: closest, with others, 2 points.').waitFor();
    await projector.page.getByText('The answer is 6 s. The closest guesses were 4 and 9.').waitFor();
    expect(await projector.page.getByText('2 points').count()).toBe(2);
    expect(await page.locator('#legend').innerText()).toBe('your guess\nclosest guess\nguess\nanswer');
    expect([...(await findFaults(page)), ...(await findFaults(projector.page))]).toEqual([]);
    expect([...incidents, ...projector.incidents]).toEqual([]);
    await Promise.all([page.close(), projector.page.close()]);
  });

  test.each(VIEWS)(
    'the teacher lets learners in, hides a name and removes one, at %i pixels, %s',
    async (width, colorScheme) => {
      const { url, join, learn } = await serveClass();
      await learn('Ada');
      await learn('<b>Mallory</b>');
      const { page, incidents } = await open(url, { viewport: { width, height: 900 }, colorScheme });
      await page.getByRole('button', { name: 'Ask me before anyone joins' }).click();
      await page.getByRole('button', { name: 'Let anyone join' }).waitFor();
      const phone = await open(join, { viewport: { width: 390, height: 844 } });
      await phone.page.getByLabel('Your first name').fill('Ben');
      await phone.page.getByRole('button', { name: 'Join' }).click();
      await phone.page.getByText('The teacher will let you in. You can already guess.').waitFor();
      await learn('Spam');
      await page.getByText('Wait to be let in: 2').waitFor();
      expect(await page.getByText('Ben').count()).toBe(0);

      await page.getByRole('button', { name: 'Manage the room' }).click();
      expect(await findFaults(page)).toEqual([]);
      await page.getByRole('button', { name: 'Turn away Spam' }).click();
      await page.getByRole('button', { name: 'Let in Ben' }).click();
      await page.getByRole('button', { name: 'Hide Ben' }).focus();
      page.once('dialog', (dialog) => dialog.accept());
      await page.getByRole('button', { name: 'Remove <b>Mallory</b>' }).click();
      await page.getByText('Working: 2').waitFor();
      await page.getByRole('button', { name: 'Hide Ben' }).press('Enter');
      await page.getByRole('button', { name: 'Show Ben' }).waitFor();
      await page.getByRole('button', { name: 'Stop managing' }).click();
      await page.getByText('A learner').waitFor();
      expect([await page.getByText('Ada').count(), await page.getByText('Ben').count()]).toEqual([1, 0]);
      expect([...incidents, ...phone.incidents]).toEqual([]);
      await Promise.all([page.close(), phone.page.close()]);
    },
  );

  test.each(VIEWS)('the sheet at %i pixels, %s', async (width, colorScheme) => {
    const file = path.join(await scratchFolder(), 'sheet.html');
    await writeFile(file, renderSheet(LESSONS, await writeCard()));
    const { page, incidents } = await open(`file://${file}`, { viewport: { width, height: 900 }, colorScheme });
    await page.getByText('The second').waitFor();
    expect([...(await findFaults(page)), ...incidents]).toEqual([]);
    await page.close();
  });

  test("with a token, the teacher's page works by its link alone, and the token leaves the address", async () => {
    const token = 'only-the-teacher-knows';
    const { url } = await serveClass({ host: '0.0.0.0', token });
    const own = url.replace('0.0.0.0', '127.0.0.1');
    const other = await open(own);
    await other.page.getByText('This page needs the token of the class.').waitFor();
    const { page } = await open(`${own}/#token=${token}`);
    await page.getByText('Nobody has joined yet.').waitFor();
    const { family, address } =
      Object.values(networkInterfaces())
        .flat()
        .find((one) => one?.family === 'IPv4' && !one.internal) ?? {};
    expect(await page.locator('#link').innerText()).toBe(`${family ? address : '127.0.0.1'}:${new URL(own).port}/join`);
    expect(page.url()).toBe(`${own}/`);
    expect(await page.getByRole('img', { name: 'QR code' }).isVisible()).toBe(family !== undefined);
    await page.getByRole('button', { name: 'Next lesson' }).click();
    await page.getByRole('heading', { name: 'The second' }).waitFor();
    await Promise.all([page.close(), other.page.close()]);
  });
});

describe('the command', () => {
  const teacher = { POOL_LAB_DATA: path.join(folder, 'teacher') };
  const learner = { POOL_LAB_DATA: path.join(folder, 'learner') };

  /** @param {string[]} args */
  async function openClass(...args) {
    const { child, url, code, said } = await spawnClass(args, { cwd: folder, env: teacher });
    return {
      url,
      code,
      said: said(),
      async end() {
        child.kill('SIGINT');
        expect(await once(child, 'exit')).toEqual([0, null]);
        return said();
      },
    };
  }

  /** @param {string[]} args */
  const workshop = (...args) => runCli(['workshop', ...args], { env: learner });

  test('a learner joins from a terminal, and a class that was away gets the guesses that it missed', async () => {
    const first = await openClass('--port', '0');
    expect(await workshop('join', `${first.url}/join/${first.code}`, '--name', 'Ada')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^You are in, Ada\./),
    });
    await workshop('guess', '2', '15');
    const room = () => firstWhere(readClassEvents(`${first.url}/class/events`), () => true);
    expect((await room()).people).toMatchObject([{ name: 'Ada' }]);
    expect(await first.end()).toContain("The room's result: class.html");
    expect(await readFile(path.join(folder, 'class.html'), 'utf8')).toContain('Ada');

    const away = await workshop('verify', '14', '--answer', '5');
    expect(away).toMatchObject({ code: 0, stderr: expect.stringContaining("Can't reach the class") });

    const again = await openClass('--port', new URL(first.url).port);
    expect(again).toMatchObject({ code: first.code, said: expect.stringContaining('(1 learner).') });
    await workshop('guess', '1', '4');
    const file = path.join(folder, 'teacher', 'class.json');
    await until(
      'all of it is stored',
      async () => Object.keys(JSON.parse(await readFile(file, 'utf8')).learners[0].work).length === 3,
    );
    expect(JSON.parse(await readFile(file, 'utf8')).learners[0].work).toEqual({
      '02-one-lane': { failed: 0, guess: 15 },
      '14-fleet-budget': { failed: 0, verdict: true, figures: { measured: null, points: [] } },
      '01-what-a-pool-is': { failed: 0, guess: 4 },
    });
    expect((await stat(file)).mode & 0o077).toBe(0);

    expect((await workshop('leave')).stdout).toBe('You have left the class.\n');
    const known = await readFile(file, 'utf8');
    await workshop('guess', '3', '4');
    expect((await workshop('leave')).stdout).toBe('You are in no class.\n');
    await again.end();
    expect(await readFile(file, 'utf8')).toBe(known);
    await writeFile(file, '{"code":1}');
    expect(await runCli(['class', '--port', '0'], { env: teacher })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`${file} does not contain a class`),
    });
  });

  test('the sheet is one file with the question of each lesson', async () => {
    const file = path.join(folder, 'sheet.html');
    expect(await runCli(['class', '--sheet', file])).toEqual({ code: 0, stdout: `Sheet: ${file}\n`, stderr: '' });
    const sheet = await readFile(file, 'utf8');
    for (const { title, guess } of await readLessons()) {
      expect(sheet).toContain(title);
      if (guess) expect(sheet).toContain(guess.question);
    }
    expect(sheet).not.toMatch(/<script|(?:src|href)="(?!data:)/);
  });

  // The same commands are run above, with the code of a real class.
  test('the teaching page names commands of the class, and no others', async () => {
    expect(commandsOf(await readFile('lessons/teaching.md', 'utf8'))).toEqual([
      'npx pool-lab class',
      'npx pool-lab workshop join http://127.0.0.1:3300/join/ABC234 --name Ada',
      'npx pool-lab class --sheet sheet.html',
    ]);
  });

  test.each([
    [
      'a network without a token',
      ['class', '--host', '0.0.0.0'],
      /--host 0\.0\.0\.0 opens the class to the network.+\n +--token \S{20,}/s,
    ],
    ['a short token', ['class', '--token', 'short'], /at least 16 characters/],
    ['a link that is none', ['workshop', 'join', 'http://', '--name', 'Ada'], /must be a link such as/],
    [
      'a class that is not there',
      ['workshop', 'join', 'ABC234', '--at', 'http://127.0.0.1:9', '--name', 'Ada'],
      /reach the class/,
    ],
    ['no name', ['workshop', 'join', 'ABC234'], /--name/],
  ])('%s is one clear error', async (_, args, message) => {
    await expectRefused(args, message, {
      env: { ...learner, POOL_LAB_DATA: path.join(folder, 'other') },
    });
  });

  test('a class that cannot listen ends, and leaves the last one alone', async () => {
    const { port: taken } = new URL((await serveClass()).url);
    const data = await scratchFolder();
    const file = path.join(data, 'class.json');
    await writeFile(file, 'the last class');
    const options = { env: { POOL_LAB_DATA: data } };
    await expectRefused(
      ['class', '--new', '--port', taken],
      /^--port \d+ is in use on 127\.0\.0\.1: stop what listens there/,
      options,
    );
    const away = ['--host', 'no-such-host.invalid', '--token', 'only-the-teacher-knows'];
    await expectRefused(
      ['class', '--new', '--port', '3300', ...away],
      /^--host no-such-host\.invalid --port 3300: can't listen there \(getaddrinfo .*\)\.\nChoose an address of this /,
      options,
    );
    expect(await readFile(file, 'utf8')).toBe('the last class');
  });
});

test('a class of 40 restarts without losing anybody, and nonsense does not end it', async () => {
  const LEARNERS = 40;
  const LESSON = '01-what-a-pool-is';
  const openClass = () => spawnClass(['--port', String(port)], { cwd: folder, env: { POOL_LAB_DATA: folder } });
  const { child, join, url } = await openClass();
  const learners = await Promise.all(
    Array.from({ length: LEARNERS }, (_, index) => joinClass(join, `Learner ${index}`)),
  );
  await Promise.all(
    learners.map(async (learner, index) => {
      expect(await learner.report({ lesson: LESSON, guess: index + 1 })).toMatchObject({ status: 200 });
      const figures = { measured: 6, points: [[2, 11_000]] };
      await learner.report({ lesson: LESSON, verdict: index % 4 > 0, figures });
    }),
  );
  const room = await firstWhere(
    readClassEvents(`${url}/class/events`),
    ({ lesson }) => lesson.guesses.length === LEARNERS,
  );
  expect(room.people).toHaveLength(LEARNERS);

  // The laptop of the teacher dies. What came in its last 0.2 s may be lost.
  await until('all of it is stored', async () => {
    const { learners: stored } = JSON.parse(await readFile(path.join(folder, 'class.json'), 'utf8'));
    const isStored = (/** @type {any} */ { work }) => work[LESSON]?.guess && work[LESSON].figures;
    return stored.filter(isStored).length === LEARNERS;
  });
  child.kill('SIGKILL');
  await once(child, 'exit');
  const again = await openClass();
  expect(again.join).toBe(join);
  const late = await joinClass(join, 'Late');
  await late.report({ lesson: LESSON, guess: 99 });
  expect(await learners[0].report({ lesson: LESSON, verdict: true })).toMatchObject({ status: 200 });
  const after = await firstWhere(
    readClassEvents(`${url}/class/events`),
    ({ lesson }) => lesson.guessed === LEARNERS + 1,
  );
  expect(after.people).toHaveLength(LEARNERS + 1);
  expect(after.people.filter((/** @type {any} */ { state }) => state === 'done')).toHaveLength(0.75 * LEARNERS + 1);

  for (const body of [
    '{',
    '[]',
    '"x"',
    JSON.stringify({ name: 'x'.repeat(100_000) }),
    JSON.stringify({ name: '\u0000' }),
  ]) {
    expect((await post(`${join}/learners`, body)).status).toBeGreaterThanOrEqual(400);
  }
  expect((await fetch(url)).status).toBe(200);
});
