// An app as a CommonJS module. argv: its libraries.
const { serve } = require('./serve.cjs');

serve(process.argv.slice(2).map((name) => require(name)));
