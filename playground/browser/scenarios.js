/**
 * The article's load: each person sends a bus and, when it is through, a Ferrari.
 *
 * @param {number} people who arrive one second apart
 */
export function peopleOneByOne(people) {
  return `config:
  target: http://127.0.0.1:3000
  phases:
    - duration: ${people}
      arrivalCount: ${people}
  http:
    timeout: 3600
scenarios:
  - flow:
      - get:
          url: /slow
      - get:
          url: /fast
`;
}

/**
 * Customers without any bus.
 * @param {number} perSec
 * @param {number} seconds
 * @param {boolean} isRandom or evenly spaced
 */
export function customersOnly(perSec, seconds, isRandom) {
  const arrivals = isRandom ? `arrivalRate: ${perSec}\n      mode: poisson` : `arrivalCount: ${perSec * seconds}`;
  return `config:
  target: http://127.0.0.1:3000
  phases:
    - duration: ${seconds}
      ${arrivals}
  http:
    timeout: 3600
scenarios:
  - flow:
      - get:
          url: /fast
`;
}

/**
 * People who ask again as soon as they have their answer; one query in four is a bus. As in the lab's experiment
 * `saturation`.
 *
 * @param {number} people
 */
export function peopleWhoKeepAsking(people) {
  return `config:
  target: http://127.0.0.1:3000
  phases:
    - duration: 1
      arrivalCount: ${people}
  http:
    timeout: 3600
scenarios:
  - flow:
      - loop:
          - get:
              url: /slow
          - get:
              url: /fast
          - get:
              url: /fast
          - get:
              url: /fast
        count: 15
`;
}

/**
 * Customers and administrators who arrive at random.
 *
 * @param {{ perSec: number, seconds: number, admins: number }} load admins: in a hundred
 */
export function customersAndAdmins({ perSec, seconds, admins }) {
  return `config:
  target: http://127.0.0.1:3000
  phases:
    - duration: ${seconds}
      arrivalRate: ${perSec}
      mode: poisson
  http:
    timeout: 3600
scenarios:
  - name: a customer
    weight: ${100 - admins}
    flow:
      - get:
          url: /fast
  - name: an administrator
    weight: ${admins}
    flow:
      - get:
          url: /slow
`;
}
