#!/usr/bin/env node
// Asked by the completion of kubectl for `kubectl millrace`, with the words that were typed behind it.
process.argv.splice(2, 0, '__complete');
await import('./kubectl-millrace.js');
