import { formatNumber, formatQuantity } from 'mongodb-pool-page/universal/quantity.js';
import { Companion } from './companion.js';
import { Handles } from './handles.js';
import { keepLatest } from './background.js';
import { Player } from './player.js';
import { createField, createRow, formatTime } from './sandbox-parts.js';
import { customersAndAdmins } from './scenarios.js';
import { MAX_SHOWN } from './simulation.js';
import { figuresOf, kindsOf } from './screen-view.js';
import { assignTrips } from 'mongodb-pool-page/page/traffic-picture.js';

/** @import { Ask } from './background.js' */
/** @import { Incident } from './incident.js' */
/** @import { Prediction, Preset } from './simulation.js' */

const SECONDS = 30;
/** The whole run takes the reader this long. */
const WATCHED_MS = 30_000;
/** A longer address breaks in some programs. */
const MAX_LINK = 6000;
const MAX_TRACE_BYTES = 50e6;
/** A shorter simulation is not announced. */
const NOTICED_MS = 400;
/** What the reader can choose. */
const MAX_LANES = 100;

/** The reader's own load: from the handles, a pasted scenario or a dropped trace. */
export class Sandbox {
  id = 'sandbox';
  #root;
  #ask;
  #onChange;
  #player;
  #companion;
  #handles;
  #update = keepLatest(() => this.#simulate());
  /** @type {string | undefined} */
  #trace;
  /** What the trace has. @type {Incident | undefined} */
  #incident;
  /** The scenario whose routes have their fields. */
  #yaml = '';

  /**
   * @param {{ root: HTMLElement, ask: Ask, reducedMotion: MediaQueryList, onChange: (view: Sandbox) => void }}
   *   surroundings
   */
  constructor({ root, ask, reducedMotion, onChange }) {
    this.#root = root;
    this.#ask = ask;
    this.#onChange = onChange;
    const companion = new Companion(this.#find('#companion'));
    this.#companion = companion;
    this.#player = new Player(root, reducedMotion, (moment) => companion.show(moment));
    this.#handles = new Handles(root, () => this.#change());
    this.#find('#spread').addEventListener('change', () => this.#change());
    this.#find('#use-scenario').addEventListener('click', () => void this.#useScenario(this.#textarea.value, []));
    this.#find('#services').addEventListener('change', () => this.#change());
    this.#find('#own-load').addEventListener('click', () => this.#useOwn());
    this.#takeFiles();
  }

  /** What the link says. A trace is not in it: it stays on this page. @returns {Record<string, string>} */
  get values() {
    const spread = this.#spread.value;
    return {
      ...this.#handles.changed,
      ...(spread !== 'fixed' && { spread }),
      ...(this.#yaml && this.#yaml.length < MAX_LINK && { yaml: this.#yaml, services: this.#services.join(' ') }),
    };
  }

  /** @param {Record<string, string>} values from a link */
  async restore({ yaml, services = '', spread, ...values }) {
    this.#handles.restore(values);
    if (spread) this.#spread.value = spread;
    if (yaml) await this.#useScenario(yaml, services.split(' ').filter(Boolean));
    else await this.#update();
  }

  /** @param {import('mongodb-pool-page/page/palette.js').Palette} palette */
  setPalette(palette) {
    this.#player.setPalette(palette);
    this.#companion.setPalette(palette);
  }

  #change() {
    this.#onChange(this);
    void this.#update();
  }

  #useOwn() {
    this.#yaml = '';
    this.#trace = undefined;
    this.#setSource('own');
    this.#change();
  }

  /** @param {string} yaml @param {string[]} services as for `--service`; others take 10 ms */
  async #useScenario(yaml, services) {
    this.#trace = undefined;
    this.#textarea.value = yaml;
    try {
      const routes = await this.#ask('routes', yaml);
      this.#yaml = yaml;
      this.#find('#services').replaceChildren(
        ...routes.map((route) =>
          createField(route, services.find((text) => text.startsWith(`${route}=`))?.slice(route.length + 1) ?? '10'),
        ),
      );
      this.#setSource('scenario');
      this.#onChange(this);
      await this.#update();
    } catch (error) {
      this.#showProblem(error);
    }
  }

  #takeFiles() {
    const zone = this.#find('#drop');
    const input = /** @type {HTMLInputElement} */ (this.#find('#trace-file'));
    input.addEventListener('change', () => void this.#useFile(input.files?.[0]));
    for (const name of ['dragover', 'dragleave', 'drop']) {
      zone.addEventListener(name, (event) => {
        event.preventDefault();
        zone.toggleAttribute('data-over', name === 'dragover');
      });
    }
    zone.addEventListener('drop', ({ dataTransfer }) => void this.#useFile(dataTransfer?.files[0]));
  }

  /** A trace, or a scenario. @param {File} [file] */
  async #useFile(file) {
    if (!file) return;
    if (file.size > MAX_TRACE_BYTES) {
      this.#showProblem(
        new Error(`${file.name} has more than ${MAX_TRACE_BYTES / 1e6} MB: use pool-lab predict --trace`),
      );
      return;
    }
    const text = await file.text();
    if (/\.ya?ml$/i.test(file.name)) {
      await this.#useScenario(text, []);
      return;
    }
    await this.replay(file.name, text);
  }

  /** Plays a trace as it was, and below it with twice as many lanes. @param {string} name @param {string} text */
  async replay(name, text) {
    try {
      this.#incident = await this.#ask('incident', text);
    } catch (error) {
      this.#showProblem(error);
      return;
    }
    this.#yaml = '';
    this.#trace = text;
    this.#setSource('trace');
    this.#find('#source-name').textContent = `The trace ${name}`;
    if (this.#incident.lanes !== null)
      this.#handles.restore({ pool: String(Math.min(MAX_LANES, 2 * this.#incident.lanes)) });
    this.#onChange(this);
    await this.#update();
    this.#player.start();
  }

  /** @param {'own' | 'scenario' | 'trace'} source */
  #setSource(source) {
    this.#root.dataset.source = source;
    this.#find('#source-name').textContent = source === 'scenario' ? 'Your scenario' : '';
  }

  async #simulate() {
    const preset = this.#readPreset();
    const slow = setTimeout(() => {
      this.#find('#effort').textContent = 'Simulating …';
    }, NOTICED_MS);
    try {
      const prediction = await this.#ask('predict', preset);
      const incident = this.#trace === undefined ? undefined : this.#incident;
      const run = incident ? watchIncident(incident) : await this.#ask('watch', preset);
      const other = incident && this.#findDoubt(preset) === null ? await this.#ask('watch', preset) : undefined;
      const endMs = Math.max(run.endMs, other?.endMs ?? 0);
      /** @param {typeof run} each */
      const toTraffic = ({ trips, lanes }) => ({
        trips: assignTrips(trips, kindsOf(prediction), lanes),
        lanes,
        cores: preset.cores,
        endMs,
      });
      this.#player.load(toTraffic(run), endMs / WATCHED_MS);
      if (other) this.#companion.load(`With ${countLanes(other.lanes)}`, toTraffic(other));
      else this.#companion.hide();
      this.#show(prediction, preset, run.isCut);
      if (incident) this.#tellIncident(incident, preset);
    } catch (error) {
      this.#showProblem(error);
    } finally {
      clearTimeout(slow);
    }
  }

  /** @returns {Preset} */
  #readPreset() {
    const value = (/** @type {string} */ name) => this.#handles.read(name);
    const pool = value('pool');
    const handles = {
      waitQueueTimeoutMs: value('timeout'),
      slowPoolSize: value('second'),
      slowConcurrency: value('cap'),
    };
    // A recorded app keeps its own, unless the reader sets others.
    const limits = Object.fromEntries(Object.entries(handles).filter(([, each]) => each > 0));
    const cores = value('cores') || undefined;
    const common = { pool, poolSizes: [pool], cores, limits };
    if (this.#trace !== undefined) return { ...common, trace: this.#trace };
    if (this.#yaml) return { ...common, yaml: this.#yaml, services: this.#services };
    const kind = `${cores ? 'work:' : ''}${this.#spread.value === 'fixed' ? '' : `${this.#spread.value}:`}`;
    return {
      ...common,
      yaml: customersAndAdmins({ perSec: value('rate'), admins: value('admins'), seconds: SECONDS }),
      services: [`/fast=${kind}${value('fast')}`, `/slow=${kind}${value('slow')}`].slice(
        0,
        value('admins') === 0 ? 1 : 2,
      ),
    };
  }

  /** Why nothing is shown beside the trace, if so. @param {Preset} preset @returns {string | null} */
  #findDoubt({ pool, limits = {}, cores }) {
    const { lanes = null, withheld = [], why = '' } = this.#incident ?? {};
    if (pool === lanes && Object.keys(limits).length === 0 && !cores)
      return 'Drag the lanes to see what another pool would have done.';
    return withheld.includes(pool) ? why : null;
  }

  /** @param {Incident} incident @param {Preset} preset */
  #tellIncident({ verdict }, preset) {
    const told = this.#find('.told');
    const doubt = this.#findDoubt(preset);
    told.textContent = `As it was: ${verdict} ${doubt ?? told.textContent}`;
    this.#find('#percentiles')
      .closest('table')
      ?.toggleAttribute('hidden', doubt !== null);
  }

  /** @param {Prediction} prediction @param {Preset} preset @param {boolean} isCut */
  #show(prediction, { pool, yaml, services = [], cores, limits }, isCut) {
    const figures = figuresOf(prediction, pool);
    const { requests, tookMs } = prediction.simulated;
    this.#showProblem(undefined);
    const rows = Object.entries(figures.routes).map(([route, times]) =>
      createRow(route, times, [figures.low?.routes[route], figures.high?.routes[route]]),
    );
    this.#find('#percentiles').replaceChildren(...rows);
    this.#find('#percentiles').closest('table')?.removeAttribute('hidden');
    this.#find('.told').textContent = `With ${countLanes(pool)}, ${describeWait(figures)}`;
    this.#find('#effort').textContent =
      `${formatNumber(requests)} requests simulated in ${formatQuantity(tookMs, 'ms')}.` +
      `${isCut ? ' The tunnel shows the first of them.' : ''}`;
    this.#find('#warnings').textContent = prediction.warnings.join(' ');
    const isPlain = yaml !== undefined && Object.keys(limits ?? {}).length === 0;
    this.#find('#command').hidden = !isPlain;
    if (!isPlain) return;
    this.#find('#command pre').textContent = yaml;
    this.#find('#command code').textContent = [
      'npx pool-lab predict scenario.yaml --workers 1',
      `--pool-sizes ${pool}`,
      ...services.map((service) => `--service '${service}'`),
      ...(cores ? [`--server-cores ${cores}`] : []),
    ].join(' ');
  }

  /** @param {unknown} error undefined: all is well */
  #showProblem(error) {
    const place = this.#find('#problem');
    place.hidden = error === undefined;
    place.textContent = error === undefined ? '' : /** @type {Error} */ (error).message;
  }

  get #services() {
    const fields = /** @type {NodeListOf<HTMLInputElement>} */ (this.#root.querySelectorAll('#services input'));
    return [...fields].map(({ name, value }) => `${name}=${value.trim()}`);
  }

  get #textarea() {
    return /** @type {HTMLTextAreaElement} */ (this.#find('textarea'));
  }

  get #spread() {
    return /** @type {HTMLSelectElement} */ (this.#find('#spread'));
  }

  /** @param {string} selector */
  #find(selector) {
    return /** @type {HTMLElement} */ (this.#root.querySelector(selector));
  }
}

/** @param {number} count */
function countLanes(count) {
  return `${count} ${count === 1 ? 'lane' : 'lanes'}`;
}

/** @param {Incident} incident as it was */
function watchIncident({ trips, lanes }) {
  const shown = trips.slice(0, MAX_SHOWN);
  const endMs = shown.reduce((end, { finishedAtMs }) => Math.max(end, finishedAtMs), 0);
  return { trips: shown, lanes: Number(lanes), endMs, isCut: shown.length < trips.length };
}

/** @param {Prediction['variants'][number]['predicted']} figures */
function describeWait({ meanWaitMs, peakWaiting, failures, requests, low, high }) {
  const lost = failures > 0 ? ` ${formatNumber(failures)} of ${formatNumber(requests)} requests get no answer.` : '';
  if (peakWaiting < 1) return `nobody waits.${lost}`;
  const isHidden = [meanWaitMs, low?.meanWaitMs].every(Number.isNaN);
  const mean = formatTime(meanWaitMs, [low?.meanWaitMs, high?.meanWaitMs]);
  return (
    `${isHidden ? '' : `the mean wait is ${mean}. In a typical run, `}` +
    `up to ${formatNumber(peakWaiting)} wait at once.${lost}`
  );
}
