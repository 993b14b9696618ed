#!/usr/bin/env node
// `kubectl millrace VERB`: kubectl starts as a plugin whatever is called kubectl-millrace on PATH.
process.env.MILLRACE_PROGRAM = 'kubectl millrace';
await import('./millrace.js');
