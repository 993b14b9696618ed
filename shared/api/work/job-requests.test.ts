import { describe, expect, it } from 'vitest';
import { inheritedNames } from '#shared/domain/testing/inherited-names.ts';
import { job } from '#shared/domain/testing/objects.ts';
import { requestsOf } from './job-requests.ts';

const container = (requests: object, more: object = {}) => ({ resources: { requests }, ...more });
const of = (pod: object, spec: object = {}, status: object = {}) =>
  requestsOf(job({ spec: { ...spec, template: { spec: pod } }, status }));

describe('the requests of a Job', () => {
  it('are those of its containers, for each Pod that runs at once', () => {
    const containers = [container({ cpu: '500m', memory: '1Gi' }), container({ cpu: 1 })];
    expect(of({ containers })).toEqual({ cpu: 1.5, memory: 2 ** 30 });
    expect(of({ containers }, { parallelism: 4 })).toEqual({ cpu: 6, memory: 4 * 2 ** 30 });
    expect(of({ containers }, { parallelism: 0 })).toEqual({ cpu: 0, memory: 0 });
  });

  it('are no more than for what is left to complete', () => {
    const pod = { containers: [container({ cpu: 1 })] };
    expect(of(pod, { parallelism: 4, completions: 6 }, { succeeded: 5 })).toEqual({ cpu: 1 });
  });

  it('are those of the largest container that initializes, where that is more; a sidecar runs on', () => {
    const pod = {
      containers: [container({ cpu: 1 })],
      initContainers: [
        container({ cpu: 3 }),
        container({ cpu: 1 }, { restartPolicy: 'Always' }),
        container({ cpu: 1, memory: 5 }),
      ],
    };
    expect(of(pod)).toEqual({ cpu: 3, memory: 5 });
    expect(of({ ...pod, initContainers: [pod.initContainers[1]] })).toEqual({ cpu: 2 });
  });
});

it.each(inheritedNames)('requests of a resource called %s are summed up', (name) => {
  const request = () => container(Object.fromEntries([[name, '2']]));
  const requests = of({ containers: [request(), request()], initContainers: [request()] });
  expect(Object.entries(requests)).toEqual([[name, 4]]);
});
