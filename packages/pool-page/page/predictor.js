/** The package mongodb-pool-predictor, in a worker. The app may lack it. */
export class Predictor {
  /** @type {Worker | undefined} */
  #worker;
  #asked = 0;
  /** Who waits for an answer, by the id of the question. @type {Map<number, (answer: any) => void>} */
  #waiting = new Map();
  /** The app lacks it, or its worker does not load. */
  isMissing = false;

  /**
   * @param {{ trace?: string, wanted: 'diagnosis' | 'whatIf' | 'speedups' }} question see prediction-worker.js
   * @returns {Promise<any>} undefined if there is no answer
   */
  ask(question) {
    if (this.isMissing) return Promise.resolve();
    this.#worker ??= this.#start();
    const id = ++this.#asked;
    this.#worker.postMessage({ id, ...question });
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
    });
  }

  #start() {
    const worker = new Worker('/pool-predictor/speedup/prediction-worker.js', { type: 'module' });
    worker.onmessage = ({ data }) => {
      this.#waiting.get(data.id)?.(data);
      this.#waiting.delete(data.id);
    };
    worker.onerror = (event) => {
      // An error in the worker's code comes as an ErrorEvent, a script that does not load as a plain Event:
      // https://html.spec.whatwg.org/multipage/workers.html#run-a-worker
      if (event instanceof ErrorEvent) reportError(event.error ?? event.message);
      else this.isMissing = true;
      for (const resolve of this.#waiting.values()) resolve(undefined);
      this.#waiting.clear();
    };
    return worker;
  }
}
