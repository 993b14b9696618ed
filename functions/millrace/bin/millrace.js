#!/usr/bin/env node
// Starts the CLI on a Node that can run it. The sources need Node 26, which the package brings
// along; whatever older `node` found this file only hands over. Plain JavaScript for that reason.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const neededMajor = 26;
const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
// From the sources, or bundled as the package has it.
const entry = ['main.ts', 'main.js']
  .map((name) => join(root, 'functions', 'millrace', name))
  .find((path) => existsSync(path));
// Of the checkout, or of the folder that the package is installed in.
const brought = [join(root, 'node_modules'), dirname(root)]
  .map((modules) => join(modules, '.bin', process.platform === 'win32' ? 'node.cmd' : 'node'))
  .find((path) => existsSync(path));

// npx puts nothing on the user's PATH, so the commands of hints have to start with it too.
const { npm_lifecycle_event: event, npm_lifecycle_script: script = '' } = process.env;
if (event === 'npx' && /^["']?millrace\b/.test(script)) {
  process.env.MILLRACE_PROGRAM ??= 'npx millrace';
}

if (Number(process.versions.node.split('.')[0]) >= neededMajor) {
  // From the second start on nothing is parsed anew, and what strips the types is not even loaded.
  nodeModule.enableCompileCache();
  await import(entry);
} else if (brought !== undefined) {
  const child = spawn(brought, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: 'inherit',
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => child.kill(signal));
  }
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? (signal === 'SIGINT' ? 130 : 1);
  });
} else {
  process.stderr.write(
    `millrace needs Node ${neededMajor}; this is ${process.version} and no other was found.\n` +
      `next: run npm ci (it brings Node ${neededMajor} along), or install Node ${neededMajor} or newer\n`,
  );
  process.exitCode = 1;
}
