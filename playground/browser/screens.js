import { formatNumber, formatQuantity } from 'mongodb-pool-page/universal/quantity.js';
import { ARTICLE, ONE_FAST_LANE, SLOWEST, SLOWEST_FERRARI, TOLL_BOOTHS } from './measured.js';
import { customersOnly, peopleOneByOne, peopleWhoKeepAsking } from './scenarios.js';

/** @import { Measured } from './measured.js' */
/** @import { Prediction, Preset } from './simulation.js' */

/**
 * @typedef {Prediction['variants'][number]['predicted']} Figures
 * @typedef {Record<string, number>} Values of the handles, by name
 *
 * @typedef {object} Handle
 * @property {string} name
 * @property {string} label
 * @property {number} min
 * @property {number} max
 * @property {number} [step] default 1
 * @property {number} value at first
 * @property {string} [unit]
 * @property {string[]} [choices] a switch, whose value is the place of the choice
 *
 * @typedef {object} Screen one idea
 * @property {string} id
 * @property {string} title
 * @property {string[]} text paragraphs, before the guess
 * @property {Handle[]} handles
 * @property {(values: Values) => Preset} preset
 * @property {(values: Values) => number} [tunnels] that share its lanes; default 1
 * @property {number} speed ms of the simulation in one ms of the reader
 * @property {Handle & { question: string }} guess
 * @property {(figures: Figures, prediction: Prediction, values: Values) => number} answer to the question
 * @property {string} figure what the table shows
 * @property {(figures: Figures) => number} figureOf in ms
 * @property {Measured} measured
 * @property {Measured} [published]
 * @property {string[]} why paragraphs, after the guess
 * @property {(figures: Figures, prediction: Prediction, values: Values) => string} describe what happens with these
 *   handles
 */

const SERVICES = ['/slow=5000', '/fast=2'];
const BUS_SECONDS = { name: 'bus', label: 'A bus takes', min: 1, max: 10, step: 0.5, value: 5, unit: 's' };
const PEOPLE = { name: 'people', label: 'People', min: 2, max: 20, value: 5 };
const GUESS = { name: 'guess', label: 'Your guess' };
const SLOWEST_GUESS = { ...GUESS, min: 0, max: 30, value: 15, unit: 's' };
/** What the screens about the article's load show. */
const SLOWEST_ANSWER = {
  figure: 'the slowest answer',
  figureOf: (/** @type {Figures} */ { maxMs }) => maxMs,
  measured: SLOWEST,
  published: ARTICLE,
};
const inSeconds = (/** @type {Figures} */ { maxMs }) => maxMs / 1000;

/** @param {Values} values @param {number[]} sizes @returns {Preset} */
function articleLoad({ bus = 5, people = 5, lanes = 1 }, sizes) {
  return {
    yaml: peopleOneByOne(people),
    services: [`/slow=${bus * 1000}`, SERVICES[1]],
    pool: lanes,
    poolSizes: ascending([...sizes, lanes]),
  };
}

/** @param {Values} values @param {number} pool @param {number[]} sizes @returns {Preset} */
function fullServer({ work = 20 }, pool, sizes) {
  return {
    yaml: peopleWhoKeepAsking(64),
    services: [`/slow=work:${work}`, '/fast=work:1'],
    cores: 2,
    pool,
    poolSizes: ascending([...sizes, pool]),
  };
}

/** @param {number[]} sizes */
function ascending(sizes) {
  return [...new Set(sizes)].sort((a, b) => a - b);
}

/** @param {number} count */
function countLanes(count) {
  return count === 1 ? 'one lane' : `${count} lanes`;
}

/** @param {Figures} figures @param {number} lanes */
function describeSlowest({ maxMs }, lanes) {
  return `With ${countLanes(lanes)}, the slowest answer takes ${formatQuantity(maxMs, 'ms')}.`;
}

/** @type {Screen[]} */
export const SCREENS = [
  {
    id: 'tunnel',
    title: 'The tunnel',
    text: [
      'Your app and its database are on two sides of a mountain. A tunnel joins them. Each lane of the tunnel ' +
        'is a connection, and a lane takes one query at a time: in with the question, out with the answer.',
      'All lanes together are the connection pool. Here it has one lane. Customers send quick queries. Each ' +
        'holds the lane for 2 milliseconds. We call them Ferraris.',
    ],
    handles: [
      { name: 'rate', label: 'Customers per second', min: 50, max: 600, step: 10, value: 100 },
      { name: 'arrivals', label: 'They arrive', min: 0, max: 1, value: 0, choices: ['evenly', 'at random'] },
    ],
    preset: ({ rate, arrivals }) => ({
      yaml: customersOnly(rate, 3, arrivals === 1),
      ...{ services: ['/fast=2'], pool: 1, poolSizes: [1, 2, 3] },
    }),
    speed: 1 / 120,
    guess: {
      ...GUESS,
      question: 'How many customers per second can this one lane carry?',
      min: 50,
      max: 1000,
      step: 50,
      value: 100,
      unit: 'per second',
    },
    answer: (figures, { load }) => 1000 / Number(load.routes['/fast'].meanMs),
    figure: 'half of the queries, within',
    figureOf: ({ routes }) => routes['/fast'].p50Ms,
    measured: ONE_FAST_LANE,
    why: [
      'Five hundred. A second has 1000 milliseconds, and each query takes 2 of them. One lane goes a long ' +
        'way, as long as everyone is quick.',
      'Drag the number of customers. Up to 500, nobody waits. Just above it, a line forms, and it only ever ' +
        'grows.',
      'That holds for customers who arrive evenly, like a metronome. Real ones arrive at random: set the switch, and ' +
        'some wait long before the lane is full.',
    ],
    describe: ({ utilisation, peakWaiting }, prediction, { rate, arrivals }) =>
      `At ${rate} customers per second who arrive ${arrivals === 1 ? 'at random' : 'evenly'}, the lane is busy ` +
      `${formatNumber(utilisation * 100)} % of the time, and ` +
      `${peakWaiting === 0 ? 'nobody waits' : `up to ${formatNumber(peakWaiting)} wait`}.`,
  },
  {
    id: 'one-lane',
    title: 'One lane, and a bus',
    text: [
      'Not every query is quick. An administrator asks for a report, and that takes 5 seconds. It is a bus. ' +
        'It drives through the same lane.',
      'Five people arrive, one second apart. Each sends a bus and, when the answer is back, a Ferrari.',
    ],
    handles: [BUS_SECONDS],
    preset: (values) => articleLoad(values, [1]),
    speed: 2,
    guess: { ...SLOWEST_GUESS, question: 'There is one lane. How long does the slowest answer take?' },
    ...SLOWEST_ANSWER,
    answer: inSeconds,
    why: [
      'The last person comes after 4 seconds and finds four buses in front. All five buses take 25 seconds, ' +
        'so the wait is 16 seconds and the ride is 5.',
      'No query got slower. Nothing failed. The database was bored. There was just one lane.',
    ],
    describe: (figures) => describeSlowest(figures, 1),
  },
  {
    id: 'three-lanes',
    title: 'Three lanes',
    text: [
      "The same five people and the same buses. We change one number in the app's settings: three lanes instead of " +
        'one.',
    ],
    handles: [BUS_SECONDS, PEOPLE],
    preset: (values) => articleLoad({ ...values, lanes: 3 }, [1, 3]),
    speed: 2,
    guess: {
      ...SLOWEST_GUESS,
      question: 'It was 21 seconds with one lane. How long does the slowest answer take with three?',
    },
    ...SLOWEST_ANSWER,
    answer: inSeconds,
    why: [
      'Three buses leave at once. The fourth person waits 2 seconds for the first lane that is free. So does ' +
        'the fifth. A wait of 2 seconds and a ride of 5 make 7.',
      'In 2020 the article measured 9 seconds. The driver of that time sent new queries down busy lanes. ' +
        'Today it keeps one line for all.',
    ],
    describe: (figures) => describeSlowest(figures, 3),
  },
  {
    id: 'ten-lanes',
    title: 'Ten lanes',
    text: ['Nobody likes to wait 2 seconds. So let us be generous: ten lanes.'],
    handles: [{ name: 'lanes', label: 'Lanes', min: 1, max: 12, value: 10 }, PEOPLE],
    preset: (values) => articleLoad(values, [1, 3, 10]),
    speed: 1.5,
    guess: {
      ...SLOWEST_GUESS,
      value: 10,
      question: 'It was 7 seconds with three lanes. How long does the slowest answer take with ten?',
    },
    ...SLOWEST_ANSWER,
    answer: inSeconds,
    why: [
      'Five seconds: the ride itself. Nobody waits any more, and no tunnel makes a bus faster.',
      'Five lanes stay empty. Send twenty people if you like: by the time the sixth arrives, the first bus is out.',
    ],
    describe: (figures, prediction, { lanes }) => describeSlowest(figures, lanes),
  },
  {
    id: 'ferraris',
    title: 'Fast ones behind slow ones',
    text: [
      'So far we looked at the slowest answer, and that was a bus. Buses are slow; no surprise there. Now ' +
        'look only at the Ferraris: 2 milliseconds each, when the road is free.',
    ],
    handles: [{ name: 'lanes', label: 'Lanes', min: 1, max: 10, value: 1 }, BUS_SECONDS],
    preset: (values) => articleLoad(values, [1, 3, 10]),
    speed: 2,
    guess: { ...SLOWEST_GUESS, value: 5, question: 'With one lane, how long does the slowest Ferrari take?' },
    answer: ({ routes }) => routes['/fast'].maxMs / 1000,
    figure: 'the slowest Ferrari',
    figureOf: ({ routes }) => routes['/fast'].maxMs,
    measured: SLOWEST_FERRARI,
    why: [
      'The first Ferrari finds four buses in line and has to wait for all of them: 4 × 5 seconds. It is ten ' +
        'thousand times as slow as it could be, and it did nothing wrong.',
      'This is what customers notice. The database cannot tell you: its log of slow queries shows the buses, ' +
        'never the Ferraris. The wait is not part of the query.',
    ],
    describe: ({ routes }, prediction, { lanes }) =>
      `With ${countLanes(lanes)}, the slowest Ferrari takes ${formatQuantity(routes['/fast'].maxMs, 'ms')}.`,
  },
  {
    id: 'knee',
    title: 'Where more lanes stop helping',
    text: [
      'Lanes are not free. Each takes memory in the app and in the database, and the database has a limit on ' +
        'them. So we want the smallest tunnel that is as good as a huge one.',
    ],
    handles: [{ name: 'lanes', label: 'Lanes', min: 1, max: 10, value: 3 }, BUS_SECONDS],
    preset: (values) => articleLoad(values, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]),
    speed: 2,
    guess: {
      ...GUESS,
      question: 'Five people and their buses. What is the smallest number of lanes that is as good as a hundred?',
      min: 1,
      max: 20,
      value: 10,
      unit: 'lanes',
    },
    answer: (figures, { load }) => Number(load.knee),
    ...SLOWEST_ANSWER,
    why: [
      'Five people need at most five lanes at once. The sixth lane has nothing to do. The point where the ' +
        'curve turns flat is its knee.',
      'On one side of the knee, one more lane saves seconds. On the other, ninety more save nothing. Make the ' +
        'buses faster, and the knee moves: the first bus is out before the next one comes.',
    ],
    describe: (figures, { load }, { lanes }) =>
      `${describeSlowest(figures, lanes)} The knee is at ${countLanes(Number(load.knee))}.`,
  },
  {
    id: 'slower',
    title: 'A larger pool that is slower',
    text: [
      'So far the buses only slept in the tunnel. A real report makes the database work. At the far end of ' +
        'the tunnel are toll booths, one for each core of the database server. Here there are two.',
      'Now 64 people keep asking, each as soon as the last answer is back. One query in four is a bus that ' +
        'keeps a core busy for 20 milliseconds. With 4 lanes, 99 of 100 buses are through in about a quarter of ' +
        'a second.',
    ],
    handles: [
      { name: 'lanes', label: 'Lanes', min: 2, max: 100, value: 100 },
      { name: 'work', label: 'Work of a bus', min: 5, max: 50, step: 5, value: 20, unit: 'ms' },
    ],
    preset: (values) => fullServer(values, values.lanes, [2, 4, 8, 16, 32, 100]),
    speed: 1 / 8,
    guess: {
      ...GUESS,
      question: 'We open 100 lanes. In how many milliseconds are 99 of 100 buses through now?',
      min: 0,
      max: 1000,
      step: 20,
      value: 100,
      unit: 'ms',
    },
    answer: ({ routes }) => routes['/slow'].p99Ms,
    figure: '99 of 100 buses, within',
    figureOf: ({ routes }) => routes['/slow'].p99Ms,
    measured: TOLL_BOOTHS,
    why: [
      'It takes twice as long in the simulation. Two cores cannot do more than two cores can do. With 100 lanes they ' +
        'work on all queries in turn, a little on each, and everybody crawls.',
      'In the lab it took three times as long, and in five runs beside other programs 1.2 to 2.0 seconds. There, the ' +
        'people ' +
        'who ask, the driver and the database share the two cores; in the simulation the database has them to itself.',
      'The line is still there. It only moved into the server, where nobody sees it. Your graphs now say that ' +
        'no query waits for a connection.',
    ],
    describe: ({ routes, meanWaitMs }, prediction, { lanes }) =>
      `With ${lanes} lanes, 99 of 100 buses are through in ${formatQuantity(routes['/slow'].p99Ms, 'ms')}, and 99 of ` +
      `100 Ferraris in ${formatQuantity(routes['/fast'].p99Ms, 'ms')}. The mean wait in front of the tunnel is ` +
      `${formatQuantity(meanWaitMs, 'ms')}.`,
  },
  {
    id: 'many-apps',
    title: 'Many apps, one server',
    text: [
      'One app with 16 lanes looks modest. But nobody runs one app. There are copies of it, and each copy ' +
        'digs a separate tunnel to the same server. To watch the server, each copy keeps 2 more connections ' +
        'open.',
    ],
    handles: [
      { name: 'apps', label: 'Apps', min: 1, max: 40, value: 40 },
      { name: 'lanes', label: 'Lanes of each app', min: 1, max: 20, value: 16 },
    ],
    preset: ({ apps, lanes }) => fullServer({}, apps * lanes, [4, 16, 100]),
    tunnels: ({ apps }) => apps,
    speed: 1 / 8,
    guess: {
      ...GUESS,
      question: 'You run 40 apps with 16 lanes each. How many connections does the server have to hold?',
      min: 0,
      max: 1200,
      step: 20,
      value: 100,
      unit: 'connections',
    },
    answer: (figures, prediction, { apps, lanes }) => apps * (lanes + 2),
    figure: '99 of 100 buses, within',
    figureOf: ({ routes }) => routes['/slow'].p99Ms,
    measured: TOLL_BOOTHS,
    why: [
      '40 × (16 + 2) = 720 connections, and still two toll booths. The 64 people of the last screen all get ' +
        'into a tunnel at once, whichever app they ask. So the answers take as long as with one app and far too ' +
        'many lanes.',
      'The lab saw it, too. 128 users got 2931 answers per second from one process, and 1714 from two, on a ' +
        'machine with two cores that they shared with the database (lesson 10). Divide the lanes that the ' +
        'server can take by the number of apps. At night an autoscaler adds more.',
    ],
    describe: ({ routes }, prediction, { apps, lanes }) =>
      `${apps === 1 ? 'One app' : `${apps} apps`} × ${lanes} lanes: the server holds ` +
      `${formatNumber(apps * (lanes + 2))} connections. ` +
      `99 of 100 buses are through in ${formatQuantity(routes['/slow'].p99Ms, 'ms')}.`,
  },
];
