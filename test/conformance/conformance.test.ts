/**
 * A real control plane and the sandbox must answer the same requests alike. Only differences that differences.ts lists
 * are allowed, and these are required. record.ts says when a part of the scripts is enough.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, inject, test } from 'vitest';
import { type Difference, describeDifferences, differences } from './harness/compare.ts';
import { startLocalSandbox } from './harness/local-sandbox.ts';
import { playAll } from './harness/play.ts';
import { nameOf } from './harness/script.ts';
import { Wire } from './harness/wire.ts';
import { listedDifferences } from './differences.ts';
import { differencesPage } from './differences-page.ts';
import { comparedNow } from './recorded-suite.ts';
import { readRecord, scriptsToPlay, writeRecord } from './record.ts';
import { allScripts } from './scripts/all-scripts.ts';

/** Number of scripts that run at the same time on one server. */
const width = 12;
const timeoutMs = 240_000;

const cluster = inject('cluster');
const allNames = allScripts.map(nameOf);

test('no two scripts have one name', () => {
  expect(allNames.filter((name, index) => allNames.indexOf(name) !== index)).toEqual([]);
});

test('every listed difference is one of a script', () => {
  const listed = listedDifferences.flatMap(({ scripts }) => scripts);
  expect(listed.filter((name) => !allNames.includes(name))).toEqual([]);
});

test('the documentation lists the differences', async () => {
  const page = '../../docs/sandbox-differences.md';
  await expect(differencesPage()).toMatchFileSnapshot(page);
});

describe.skipIf(cluster === undefined)('conformance', async () => {
  if (cluster === undefined) return;
  const { server, caFile, adminToken } = cluster;
  const sandbox = await startLocalSandbox();
  const ca = readFileSync(caFile, 'utf8');
  const wires = {
    real: new Wire({ origin: server, ca, token: adminToken }),
    sandbox: new Wire({ origin: sandbox.url, token: sandbox.token }),
  };
  const now = await comparedNow('conformance', cluster);
  const { scripts, why } = scriptsToPlay(allScripts, now, readRecord('conformance'));
  const names = scripts.map(nameOf);
  const prefix = `conformance-${randomUUID().slice(0, 5)}`;
  const onReal = playAll(wires.real, scripts, prefix, width);
  const onSandbox = playAll(wires.sandbox, scripts, prefix, width);
  let agreed = 0;
  let listed = 0;

  afterAll(async () => {
    await Promise.all([wires.real.close(), wires.sandbox.close()]);
    await sandbox.stop();
    const counts = `${names.length} scripts, ${agreed} agree, ${listed} listed differences`;
    process.stdout.write(`conformance (${why}): ${counts}\n`);
    if (agreed + listed === allScripts.length) writeRecord('conformance', now);
  });

  test.for(names.map((name, index) => [name, index] as const))(
    '%s',
    { timeout: timeoutMs },
    async ([name, index]) => {
      const real = await onReal[index]!;
      expect(real, 'a script does something').not.toEqual([]);
      expect(
        real.filter(({ kind }) => kind === 'failure'),
        'a script runs to its end on the real server',
      ).toEqual([]);
      const found = differences(real, await onSandbox[index]!);
      expect(describeDifferences(found.filter((one) => !isListed(name, one)))).toBe('');
      expect(unseen(name, found), 'is listed and no longer differs').toEqual([]);
      if (found.length === 0) agreed += 1;
      else listed += 1;
    },
  );
});

function entriesFor(name: string) {
  return listedDifferences.filter(({ scripts }) => scripts.includes(name));
}

function isListed(name: string, { at }: Difference): boolean {
  return entriesFor(name).some((entry) => entry.at.test(at));
}

/** Listed differences of a script that were not found. */
function unseen(name: string, found: readonly Difference[]): readonly string[] {
  return entriesFor(name)
    .filter((entry) => !found.some(({ at }) => entry.at.test(at)))
    .map(({ what }) => what);
}
