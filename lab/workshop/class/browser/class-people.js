import { create } from './class-page.js';

/** @import { PersonView, RoomView } from '../class-view.js' */

/** @typedef {'admit' | 'remove' | 'hide' | 'unhide'} Action */

/**
 * @typedef {object} PeopleOptions
 * @property {boolean} areNamesHidden
 * @property {boolean} isManaging whether each name has its buttons
 * @property {(action: Action, names: string[]) => void} onAction
 */

const STATES = {
  stuck: 'May need a hand',
  working: 'Working',
  guessed: 'Have guessed',
  done: 'Have finished this lesson',
};

/** The room in groups. @param {RoomView} room @param {PeopleOptions} options @returns {HTMLElement[]} */
export function createPeople({ people, waiting }, options) {
  return [
    ...createWaiting(waiting, options),
    ...Object.entries(STATES).flatMap(([state, words]) => {
      const group = people.filter((one) => one.state === state);
      return createGroup(
        words,
        state,
        group.map((person) => createPerson(person, options)),
      );
    }),
  ];
}

/** Those who want to be let in. Their names are shown to a teacher who looks after the room. */
function createWaiting(/** @type {string[]} */ names, /** @type {PeopleOptions} */ { isManaging, onAction }) {
  const admitAll = createButton('Let all in', () => onAction('admit', names));
  const everyone = create(
    'li',
    {},
    admitAll,
    ' ',
    createButton('Turn all away', () => onAction('remove', names)),
  );
  const items = names.map((name) => {
    const admit = createButton('Let in', () => onAction('admit', [name]), name);
    return create(
      'li',
      {},
      name,
      ' ',
      admit,
      ' ',
      createButton('Turn away', () => onAction('remove', [name]), name),
    );
  });
  return createGroup('Wait to be let in', 'waiting', isManaging ? [everyone, ...items] : [], names.length);
}

/**
 * @param {string} words
 * @param {string} className
 * @param {HTMLElement[]} items
 * @param {number} [count]
 * @returns {HTMLElement[]}
 */
function createGroup(words, className, items, count = items.length) {
  if (count === 0) return [];
  const heading = create('h4', {}, `${words}: ${count}`);
  return items.length === 0 ? [heading] : [heading, create('ul', { className }, ...items)];
}

/** @param {PersonView} person @param {PeopleOptions} options */
function createPerson({ name, shownAs, ...facts }, { areNamesHidden, isManaging, onAction }) {
  const more = describeFacts(facts);
  const publicly = areNamesHidden ? 'A learner' : shownAs;
  const item = create('li', {}, isManaging ? name : publicly);
  if (more !== '') item.append(' ', create('small', {}, more));
  if (isManaging) {
    const isHidden = shownAs !== name;
    item.append(
      ' ',
      createButton(isHidden ? 'Show' : 'Hide', () => onAction(isHidden ? 'unhide' : 'hide', [name]), name),
      ' ',
      createButton('Remove', () => confirm(`Remove ${name} and all their work?`) && onAction('remove', [name]), name),
    );
  }
  return item;
}

/** @param {Omit<PersonView, 'name' | 'shownAs'>} facts */
function describeFacts({ why, done, solved, hint, points = 0, allPoints = 0 }) {
  const parts = [
    ...(why ? [why] : [done > 0 && `${done} done`, ...solved]),
    hint > 0 && `read hint ${hint}`,
    points > 0 && points !== allPoints && `+${points}`,
    allPoints > 0 && `${allPoints} ${allPoints === 1 ? 'point' : 'points'}`,
  ];
  return parts.filter(Boolean).join(', ');
}

/** @param {string} text @param {() => unknown} onclick @param {string} [name] of whom it is about */
function createButton(text, onclick, name) {
  const ariaLabel = name === undefined ? null : `${text} ${name}`;
  return create('button', { type: 'button', onclick, ariaLabel }, text);
}
