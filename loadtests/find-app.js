import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

/** What Artillery makes of `http://127.0.0.1:{{ $env.PORT }}` while PORT is unset or empty. */
const WITHOUT_PORT = /^http:\/\/127\.0\.0\.1:(undefined)?(?=\/)/;

const { PORT } = existsSync('.env') ? parseEnv(readFileSync('.env', 'utf8')) : {};
const APP = `http://127.0.0.1:${PORT?.trim() || 3000}`;

/**
 * Sends the requests of a load test to the port on which the app listens, as the app finds it: PORT in the environment,
 * else in `.env`, else 3000. Artillery's templates know the environment alone. Any other target stays as it is.
 *
 * @param {{ url: string }} request
 * @param {{ vars: { target: string } }} context a request is named after what its URL has beyond this target
 */
export async function findApp(request, { vars }) {
  if (!WITHOUT_PORT.test(request.url)) return;
  request.url = request.url.replace(WITHOUT_PORT, APP);
  vars.target = APP;
}
