/**
 * Give the app an order.
 * @param {string} path
 * @param {object} body
 * @returns {Promise<any>} what the app answered
 * @throws {Error} in words for people: the app's own, where it has any
 */
export async function post(path, body) {
  let response;
  try {
    response = await fetch(path, {
      method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body),
    });
  } catch (cause) {
    throw new Error('The app does not answer.', { cause });
  }
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(answer.detail ?? answer.title ?? `The app answered ${response.status}.`);
  return answer;
}
