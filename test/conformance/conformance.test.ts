/**
 * The same requests to a real control plane and to the sandbox must be answered alike. What is
 * listed in differences.ts may differ, and must.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, inject, test } from 'vitest';
import { playAll } from './harness/play.ts';
import { nameOf } from './harness/script.ts';
import { Wire } from './harness/wire.ts';
import { allScripts } from './scripts/all-scripts.ts';

/** Scripts at a time on one server. */
const width = 16;
const timeoutMs = 240_000;

const cluster = inject('cluster');

describe.skipIf(cluster === undefined)('conformance', () => {
  const { server, caFile, adminToken } = cluster!;
  const real = new Wire({
    origin: server,
    ca: readFileSync(caFile, 'utf8'),
    token: adminToken,
  });
  afterAll(() => real.close());
  const prefix = `conformance-${randomUUID().slice(0, 5)}`;
  const onReal = playAll(real, allScripts, prefix, width);

  test('no two scripts have one name', () => {
    const names = allScripts.map(nameOf);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  test.for(allScripts.map((script, index) => [nameOf(script), index] as const))(
    '%s',
    { timeout: timeoutMs },
    async ([, index]) => {
      const transcript = await onReal[index]!;
      expect(transcript.filter(({ kind }) => kind === 'failure')).toEqual([]);
      expect(transcript).not.toEqual([]);
    },
  );
});
