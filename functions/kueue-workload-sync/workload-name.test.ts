import { expect, it } from 'vitest';
import { workloadName } from './workload-name.ts';

const uid = '7c9e6679-7425-40de-944b-e07fc1f90ae7';

it.each([
  [{ kind: 'Job', group: 'batch', name: 'name', uid: 'uid' }, '', 'job-name-ef3a1'],
  [{ kind: 'Job', group: 'batch', name: 'name', uid: 'uid' }, '1', 'job-name-2514c'],
  [{ kind: 'JobFlow', group: 'api.practice.com', name: 'etl', uid }, '', 'jobflow-etl-ccc9b'],
  [{ kind: 'DaemonJob', group: 'api.practice.com', name: 'scan', uid }, '', 'daemonjob-scan-5c555'],
  [
    { kind: 'AppWrapper', group: 'workload.codeflare.dev', name: 'aw', uid },
    '',
    'appwrapper-aw-25f86',
  ],
])('names the Workload of %j as Kueue does', (job, extra, name) => {
  expect(workloadName(job, extra)).toBe(name);
});

it('cuts a long name and keeps its hash', () => {
  const name = workloadName({ kind: 'Job', group: 'batch', name: 'a'.repeat(260), uid });
  expect(name).toMatch(/^job-a{243}-[0-9a-f]{5}$/);
});
