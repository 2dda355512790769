import helmet from 'helmet';

/**
 * What browsers may do with the app's answers. The page loads from this app and sends to it, and to nobody else;
 * nothing inline runs, and nobody may frame it.
 */
export const securityHeaders = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      'default-src': "'none'", 'script-src': "'self'", 'style-src': "'self'", 'img-src': "'self'", 'connect-src': "'self'",
      'worker-src': "'self'", 'base-uri': "'none'", 'form-action': "'none'", 'frame-ancestors': "'none'",
    },
  },
  xFrameOptions: { action: 'deny' },
  // The app speaks HTTP; a proxy that speaks TLS for it can promise to go on doing so.
  strictTransportSecurity: false,
});
