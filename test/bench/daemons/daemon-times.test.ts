import { expect, it } from 'vitest';
import type { Request } from '../audit-window.ts';
import { daemonTimes } from './daemon-times.ts';

function request(fields: Partial<Request>): Request {
  return {
    ...{
      verb: 'patch',
      userAgent: '',
      resource: 'jobs',
      subresource: '',
      namespace: 'a',
      name: 'b',
    },
    ...{ code: 200, isDryRun: false, completedMs: 0 },
    ...fields,
  };
}

const daemonJob = request({
  ...{ resource: 'daemonjobs', verb: 'create', code: 201, completedMs: 1_000 },
});
const jobAt = (completedMs: number) => request({ verb: 'create', code: 201, completedMs });
const statusAt = (resource: string, completedMs: number, code = 200) =>
  request({ resource, subresource: 'status', completedMs, code });

it('the times are those of the last creation, the last end, and the recorded success', () => {
  const requests = [
    ...[daemonJob, jobAt(1_500), jobAt(3_000)],
    ...[statusAt('jobs', 2_000), statusAt('jobs', 6_000), statusAt('daemonjobs', 6_500)],
  ];
  expect(daemonTimes(requests)).toEqual({
    secondsToLastJob: 2,
    secondsToLastEnd: 5,
    secondsToSucceed: 5.5,
  });
});

it('counts no write that was refused, and no other write of a Job', () => {
  const requests = [
    ...[daemonJob, jobAt(2_000), request({ completedMs: 9_000 })],
    ...[statusAt('jobs', 3_000), statusAt('jobs', 9_000, 409)],
    request({ verb: 'create', code: 409, completedMs: 9_000 }),
  ];
  expect(daemonTimes(requests)).toEqual({ secondsToLastJob: 1, secondsToLastEnd: 2 });
});
