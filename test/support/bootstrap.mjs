/**
 * The first step of every npm script: plain JavaScript without dependencies for whatever node the
 * machine has (18 or newer). Installs the packages when node_modules does not hold what
 * package-lock.json asks for, then runs the given TypeScript entry with Node 26 from node_modules.
 *
 *     node test/support/bootstrap.mjs [entry.ts [arguments...]]
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const wantedMajor = 26;
const [entry, ...args] = process.argv.slice(2);

if (!packagesAreInstalled()) installPackages();
const node = findNode();
if (entry !== undefined) runEntry(node, entry, args);

/** Compares contents, not time stamps: npm records in a hidden lock file what it has installed. */
function packagesAreInstalled() {
  const hidden = join(root, 'node_modules/.package-lock.json');
  if (!existsSync(hidden)) return false;
  const installed = JSON.parse(readFileSync(hidden, 'utf8')).packages;
  const wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  return Object.entries(wanted).every(([path, { version, optional }]) => {
    if (path === '') return true;
    const present = installed[path];
    // Optional packages include those of other platforms.
    return present === undefined ? optional === true : present.version === version;
  });
}

function installPackages() {
  process.stderr.write('packages: installing with npm ci\n');
  const npmScript = process.env.npm_execpath;
  const [command, first] =
    npmScript !== undefined && /\.[cm]?js$/.test(npmScript)
      ? [process.execPath, [npmScript]]
      : ['npm', []];
  const { status } = spawnSync(command, [...first, 'ci', '--include=dev', '--include=optional'], {
    cwd: root,
    // Standard output belongs to the entry.
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) fail('npm ci did not succeed; its own words are above.');
}

function findNode() {
  const packaged = join(root, 'node_modules/.bin/node');
  for (const candidate of [packaged, process.execPath]) {
    const { stdout, status } = spawnSync(candidate, ['--version'], { encoding: 'utf8' });
    if (status === 0 && Number(/^v(\d+)/.exec(stdout)?.[1]) >= wantedMajor) return candidate;
  }
  return fail(
    `Node ${wantedMajor} is needed. npm brings it along for Linux, macOS and Windows on the usual ` +
      `processors; here it did not, so install Node ${wantedMajor} and try again.`,
  );
}

function runEntry(node, file, rest) {
  const binaries = join(root, 'node_modules/.bin');
  const child = spawn(node, [join(root, file), ...rest], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, PATH: `${binaries}${delimiter}${process.env.PATH ?? ''}` },
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      // A Ctrl-C in a terminal reaches the whole foreground group; the child has it already.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
    });
  }
  child.on('error', (error) => fail(`cannot run ${node}: ${error.message}`));
  child.on('exit', (code, signal) => {
    process.exit(signal === null ? (code ?? 1) : 128 + constants.signals[signal]);
  });
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
