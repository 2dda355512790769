/**
 * Erlang C: the share of arrivals that must wait in M/M/k, from the recursion of Erlang B.
 * https://en.wikipedia.org/wiki/Erlang_(unit)#Erlang_C_formula
 *
 * @param {number} servers
 * @param {number} offered the arrival rate times the mean service time, below `servers`
 */
export function erlangC(servers, offered) {
  let blocked = 1;
  for (let n = 1; n <= servers; n++) blocked = (offered * blocked) / (n + offered * blocked);
  return blocked / (1 - (offered / servers) * (1 - blocked));
}
