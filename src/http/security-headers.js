import helmet from 'helmet';
import { PAGE_POLICY } from 'mongodb-pool-monitor/live';

/** All answers have the live page's policy. */
export const securityHeaders = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: PAGE_POLICY,
  },
  xFrameOptions: { action: 'deny' },
  // The app speaks HTTP. A TLS proxy in front of it can send this header.
  strictTransportSecurity: false,
});
