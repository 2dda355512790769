// @ts-nocheck The library is not a dependency of the project.
// dd-trace with a trace of each request. Its agent is the benchmark, which drops them.
import 'dd-trace/initialize.mjs';
