import { describe, expect, it } from 'vitest';
import type { AppWrapperPodSet } from '../app-wrapper-pod-set.ts';
import type { WrappedResource } from '../app-wrapper.ts';
import { judgeComponent } from './component-faults.ts';

const template = { spec: { containers: [{ name: 'main', image: 'busybox' }] } };
const of = (apiVersion: string, kind: string, spec: object) =>
  ({ apiVersion, kind, metadata: { name: 'a' }, spec }) as unknown as WrappedResource;
const job = of('batch/v1', 'Job', { template });
const flow = of('api.practice.com/v1alpha1', 'JobFlow', {
  flows: [{ name: 'a', jobTemplate: { template } }],
});
const at = 'spec.components[0]';
const ofJob = { path: 'template.spec.template' };
const ofStep = { path: 'template.spec.flows[0].jobTemplate.template' };

describe('a component', () => {
  it.each([
    ['declares no podSets', {}],
    ['declares the ones that are inferred', { podSets: [ofJob] }],
  ])('has nothing wrong when it %s', (_, more) => {
    expect(judgeComponent({ template: job, ...more }, at)).toEqual({
      errors: [],
      warnings: [],
      podSets: 1,
    });
  });

  it('of a kind that upstream infers has no other podSets', () => {
    const podSets = [{ ...ofJob, replicas: 2 }];
    const { errors, warnings } = judgeComponent({ template: job, podSets }, at);
    expect(errors).toHaveLength(1);
    expect(warnings).toEqual([]);
  });

  it('of a kind that Millrace alone infers may have others, with a warning', () => {
    const podSets = [{ ...ofStep, replicas: 2 }];
    const { errors, warnings } = judgeComponent({ template: flow, podSets }, at);
    expect(errors).toEqual([]);
    expect(warnings).toEqual([expect.stringMatching(/^spec\.components\[0\]\.podSets: /)]);
  });

  const onePod = `spec.components[0].podSets: Invalid value: `;
  const jobSet = of('jobset.x-k8s.io/v1alpha2', 'JobSet', {
    replicatedJobs: ['a', 'b'].map((name) => ({ name, template: { spec: { template } } })),
  });
  const ofJobSet = (index: number) => ({
    path: `template.spec.replicatedJobs[${index}].template.spec.template`,
  });
  it.each<[string, WrappedResource, readonly AppWrapperPodSet[], readonly string[], number]>([
    [
      'fewer podSets than it makes',
      jobSet,
      [ofJobSet(0)],
      [`${onePod}DeclaredPodSet count 1 differs from inferred count 2`],
      2,
    ],
    [
      'a podSet with no path of those that it makes',
      flow,
      [{ path: 'template' }],
      [
        'spec.components[0].podSets[0].path: Invalid value: "template": path does not refer to a v1.PodSpecTemplate: ' +
          'content at template.spec not parseable as a v1.PodSpec: it has no list of containers',
      ],
      1,
    ],
    [
      'the same path twice in place of another one',
      jobSet,
      [ofJobSet(0), ofJobSet(0)],
      [
        `${onePod}multiple DeclaredPodSets with path '${ofJobSet(0).path}'`,
        `${onePod}PodSet with path '${ofJobSet(1).path}' is missing`,
      ],
      2,
    ],
    [
      'a negative number of Pods',
      of('example.com/v1', 'Gadget', { template }),
      [{ ...ofJob, replicas: -1 }],
      [
        `spec.components[0].podSets: Invalid value: -1: replicas of '${ofJob.path}' must not be negative`,
      ],
      1,
    ],
    [
      'no Pods at all',
      of('example.com/v1', 'Gadget', { template }),
      [{ ...ofJob, replicas: 0 }],
      [],
      1,
    ],
  ])('is judged by the podSets that it declares: %s', (_, resource, podSets, errors, count) => {
    const judged = judgeComponent({ template: resource, podSets }, at);
    expect([judged.errors, judged.podSets]).toEqual([errors, count]);
  });

  it('of a kind that upstream infers and that is malformed is refused, whatever is declared', () => {
    const malformed = of('apps/v1', 'Deployment', { template, replicas: 'two' });
    const judged = judgeComponent({ template: malformed, podSets: [ofJob] }, at);
    expect(judged).toEqual({
      errors: [
        expect.stringMatching(/^spec\.components\[0\]\.template: Invalid value: error inferring/),
      ],
      warnings: [],
      podSets: 1,
    });
  });

  it('of a kind that Millrace alone infers and whose Pods are unknown needs podSets', () => {
    const nodes = of('api.practice.com/v1alpha1', 'DaemonJob', { template });
    const fault: unknown = expect.stringMatching(
      /^spec\.components\[0\]\.template: .+declare podSets/,
    );
    expect(judgeComponent({ template: nodes }, at)).toEqual({
      ...{ errors: [fault], warnings: [], podSets: 0 },
    });
    expect(judgeComponent({ template: nodes, podSets: [{ ...ofJob, replicas: 3 }] }, at)).toEqual({
      ...{ errors: [], warnings: [], podSets: 1 },
    });
  });
});
