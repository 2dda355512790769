/**
 * Asks the inspector of this thread, which answers at once.
 *
 * @template T
 * @param {(ask: (method: string, params: object) => any) => T} work
 * @returns {T}
 */
export function askInspector(work) {
  const { Session } = process.getBuiltinModule('node:inspector');
  const session = new Session();
  session.connect();
  try {
    return work((method, params) => {
      let answer;
      session.post(method, params, (error, result) => {
        if (error) throw new Error(`${method}: ${error.message}`);
        answer = result;
      });
      return answer;
    });
  } finally {
    session.disconnect();
  }
}
