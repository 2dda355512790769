import helmet from 'helmet';

/** The page loads from this app and sends to it only. No inline code runs, and no other site may frame the page. */
export const securityHeaders = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      'default-src': "'none'", 'script-src': "'self'", 'style-src': "'self'", 'img-src': "'self'", 'connect-src': "'self'",
      'worker-src': "'self'", 'base-uri': "'none'", 'form-action': "'none'", 'frame-ancestors': "'none'",
    },
  },
  xFrameOptions: { action: 'deny' },
  // The app speaks HTTP. A TLS proxy in front of it can send this header.
  strictTransportSecurity: false,
});
