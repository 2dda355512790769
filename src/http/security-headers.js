import helmet from 'helmet';
import { PAGE_POLICY } from 'mongodb-pool-monitor/live';

const setHeaders = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: PAGE_POLICY,
  },
  xFrameOptions: { action: 'deny' },
  // The app speaks HTTP. A TLS proxy in front of it can send this header.
  strictTransportSecurity: false,
});

/** What helmet sets is the same for all answers, so we ask it once. @type {[name: string, value: string][]} */
const HEADERS = [];
const response = { setHeader: (/** @type {[string, string]} */ ...header) => HEADERS.push(header), removeHeader() {} };
setHeaders(/** @type {any} */ ({}), /** @type {any} */ (response), () => undefined);

/** All answers have the live page's policy. @type {import('express').RequestHandler} */
export const securityHeaders = (req, res, next) => {
  for (const [name, value] of HEADERS) res.setHeader(name, value);
  next();
};
