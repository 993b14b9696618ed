import { describe, expect, it } from 'vitest';
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
});
