import { describe, expect, it } from 'vitest';
import {
  advanceLatencies,
  countRequests,
  createdJobs,
  duplicateCreates,
} from './advance-latency.ts';
import type { Request } from './audit-window.ts';
import { diamond } from './flow-shapes.ts';

function request(fields: Partial<Request>): Request {
  return {
    verb: 'create',
    userAgent: 'millrace/0.1.0 (flow-advance)',
    resource: 'jobs',
    subresource: '',
    namespace: 'n',
    name: 'flow-0-a',
    code: 201,
    isDryRun: false,
    completedMs: 0,
    ...fields,
  };
}

function completion(name: string, completedMs: number): Request {
  return request({ verb: 'patch', subresource: 'status', code: 200, name, completedMs });
}

describe('an advance', () => {
  it('lasts from the end of the last parent to the creation of the child', () => {
    const requests = [
      request({ name: 'flow-0-a', completedMs: 1 }),
      completion('flow-0-b', 10),
      completion('flow-0-c', 30),
      completion('flow-0-d', 20),
      request({ name: 'flow-0-e', completedMs: 34.5 }),
    ];
    expect(advanceLatencies(requests, diamond)).toEqual([4.5]);
  });

  it('begins with the first time that the parent was written as complete', () => {
    const again = completion('flow-0-a', 20);
    const child = request({ name: 'flow-0-b', completedMs: 30 });
    expect(advanceLatencies([completion('flow-0-a', 10), again, child], diamond)).toEqual([20]);
  });
});

describe('requests', () => {
  const requests = [request({}), request({}), request({ code: 409 }), request({ name: 'x' })];

  it('are counted by part, verb and resource, for one client', () => {
    const other = request({ userAgent: 'bench-driver' });
    const status = request({ verb: 'patch', resource: 'jobflows', subresource: 'status' });
    expect(countRequests([...requests, other, status], 'millrace/')).toEqual({
      'flow-advance: create jobs': 4,
      'flow-advance: patch jobflows/status': 1,
    });
  });

  it('that created a Job are those that succeeded, and none may come twice', () => {
    expect(createdJobs(requests)).toBe(3);
    expect(duplicateCreates(requests)).toEqual(['n/flow-0-a']);
  });

  it('that tried a Job only have created none', () => {
    const tried = [request({ isDryRun: true }), request({})];
    expect(createdJobs(tried)).toBe(1);
    expect(duplicateCreates(tried)).toEqual([]);
  });
});
