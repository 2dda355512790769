// An app as an ES module. argv: its libraries.
import { serve } from './serve.cjs';

await serve(await Promise.all(process.argv.slice(2).map((name) => import(name))));
