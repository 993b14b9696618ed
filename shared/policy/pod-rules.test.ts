import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/domain/objects.ts';
import type { PodRule } from './pod-rule.ts';
import { podRules } from './pod-rules.ts';

const rules: readonly PodRule[] = podRules;
const main = { name: 'main', image: 'busybox' };
const jobWith = (pod: JsonObject): JsonObject => ({
  template: { spec: { containers: [main], ...pod } },
});
const withContainer = (fields: JsonObject) => jobWith({ containers: [{ ...main, ...fields }] });
const secure = (securityContext: JsonObject) => withContainer({ securityContext });
const usesIn = (job: JsonObject) =>
  rules.filter(({ since }) => since !== 'restricted').flatMap(({ uses }) => uses(job, 'baseline'));
const controlPlane = 'node-role.kubernetes.io/control-plane';
const required = (...expressions: readonly JsonObject[]) => ({
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchExpressions: expressions }],
    },
  },
});

it.each(rules)('$name says what it is about and what its values are', ({ says, values }) => {
  expect(says).toMatch(/^[A-Z].+\.$/);
  expect(values).not.toBe('');
});

describe('a rule names in words what a Pod uses', () => {
  it.each<[string, JsonObject]>([
    ['true shares it with the node; leave it out', jobWith({ hostPID: true })],
    [
      '/etc is a path of the node; use a persistentVolumeClaim, or an emptyDir for scratch files',
      jobWith({ volumes: [{ hostPath: { path: '/etc' } }] }),
    ],
    ['80 is a port of the node; leave it out', withContainer({ ports: [{ hostPort: 80 }] })],
    [
      'true lets the container do on its node whatever root may do; leave it out, and add the capabilities that it needs',
      secure({ privileged: true }),
    ],
    [
      'BPF is added to the container; leave it out, unless it is one that runtimes grant anyway',
      secure({ capabilities: { add: ['BPF'] } }),
    ],
    [
      'Unmasked mounts /proc without its masks; write Default, or leave it out',
      secure({ procMount: 'Unmasked' }),
    ],
    [
      'true makes the container a process of its node; leave it out',
      secure({ windowsOptions: { hostProcess: true } }),
    ],
    [
      'the Pod goes to n1 past the scheduler; node affinity, as globalParams.nodeName makes it, does not',
      jobWith({ nodeName: 'n1' }),
    ],
    [
      'the Pod tolerates every taint; name the key of one that it is to tolerate',
      jobWith({ tolerations: [{ operator: 'Exists' }] }),
    ],
    [
      'the Pod tolerates every taint of the effect NoSchedule; name the key of one that it is to tolerate',
      jobWith({ tolerations: [{ operator: 'Exists', effect: 'NoSchedule' }] }),
    ],
    [
      'the Pod asks for a node of the control plane',
      jobWith({ affinity: required({ key: controlPlane, operator: 'In', values: [''] }) }),
    ],
    [
      'system-x is for Pods that the cluster cannot do without',
      jobWith({ priorityClassName: 'system-x' }),
    ],
    ['the Pod is left to the scheduler mine', jobWith({ schedulerName: 'mine' })],
    [
      'the Job is left to the controller example.com/x',
      { ...jobWith({}), managedBy: 'example.com/x' },
    ],
    [
      'Pods stay until example.com/stay is removed',
      { template: { metadata: { finalizers: ['example.com/stay'] } } },
    ],
  ])('%s', (message, job) => {
    expect(usesIn(job)).toMatchObject([{ message }]);
  });
});

describe('the control plane', () => {
  it('is tolerated by its older name as well', () => {
    const key = 'node-role.kubernetes.io/master';
    expect(usesIn(jobWith({ tolerations: [{ key }] }))).toMatchObject([{ value: key }]);
  });

  it('is found beside what else is asked for', () => {
    const other = { key: 'disk', operator: 'Exists' };
    const affinity = required(other, { key: controlPlane, operator: 'Exists' });
    expect(usesIn(jobWith({ affinity }))).toMatchObject([{ value: controlPlane }]);
  });
});

describe('nothing is used', () => {
  it.each<[string, JsonObject]>([
    [
      'by a toleration of all with another operator',
      jobWith({ tolerations: [{ operator: 'Equal' }] }),
    ],
    ['by a port that is 0', withContainer({ ports: [{ hostPort: 0 }] })],
    ['by names that are none', { template: { metadata: { finalizers: [1] } } }],
    ...(
      'AUDIT_WRITE CHOWN DAC_OVERRIDE FOWNER FSETID KILL MKNOD NET_BIND_SERVICE SETFCAP SETGID ' +
      'SETPCAP SETUID SYS_CHROOT'
    )
      .split(' ')
      .map((name): [string, JsonObject] => [
        `by ${name}, which runtimes grant anyway`,
        secure({ capabilities: { add: [name] } }),
      ]),
  ])('%s', (_, job) => {
    expect(usesIn(job)).toEqual([]);
  });
});
