import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { auditEntries, type AuditFilter, fits, parseEntry } from './audit-log.ts';

const stamp = '2026-11-23T14:05:40.213433Z';

function line(number: number): string {
  const pick = (...texts: readonly string[]) => texts[number % texts.length];
  return JSON.stringify({
    auditID: String(number),
    stage: pick('ResponseStarted', 'ResponseComplete'),
    requestURI: `/apis/ü/${number}`,
    verb: pick('get', 'watch', 'create'),
    user: { username: pick('bridge', 'flow-advance', 'bridge-2') },
    objectRef: {
      resource: pick('jobs', 'pods'),
      namespace: pick('one', 'two', 'one-more', 'jobs', 'three'),
      name: pick('a', 'b', 'bridge'),
    },
    responseStatus: { code: 200 + (number % 2) },
    requestReceivedTimestamp: stamp,
    stageTimestamp: stamp,
  });
}

/** More than one read, so that lines are split in the middle. */
const lines = Array.from({ length: 10_000 }, (_, number) => line(number));

let folder: string;
let log: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-audit-'));
  log = join(folder, 'audit.log');
  await writeFile(log, `${lines.join('\n')}\n${line(10_000).slice(0, -1)}`);
});
afterAll(() => rm(folder, { recursive: true }));

it.each<AuditFilter>([
  {},
  { namespace: 'one' },
  { namespace: 'jobs', resource: 'jobs' },
  { user: 'bridge', verb: 'get' },
  { user: /^bridge/, name: 'bridge', code: 200 },
  { verb: 'watch', name: 'a', namespace: 'three' },
  { namespace: 'nowhere' },
])('finds all that fits, up to a line that is still being written: %o', async (filter) => {
  const expected = lines
    .map(parseEntry)
    .filter(({ verb, stage }) => verb !== 'watch' || stage === 'ResponseStarted')
    .filter((entry) => fits(entry, filter));
  expect(await auditEntries(log, filter)).toEqual(expected);
});
