/** The rights of each function and its additions to a cluster, so that a new or lost right is noticed. */
import { describe, expect, it } from 'vitest';
import type { AccessRule } from '#shared/domain/access-rule.ts';
import { flowAdmissionAccess } from './flow-admission/access.ts';
import { subscriptions } from './list.ts';

const rightIn = ({ resource, subresource, names, verbs }: AccessRule) => {
  const what = [resource.plural, ...(subresource === undefined ? [] : [subresource])].join('/');
  const which = names === undefined ? '' : ` ${names.join()}`;
  return `${what}${which}: ${verbs.join(' ')}`;
};

/** To read the uid of its cluster. */
const anyFunction = ['namespaces kube-system: get'];
/** For objects that a function creates Jobs for. */
const creatingJobs = (owner: string) => [
  `${owner}: get delete`,
  `${owner}/status: patch`,
  `${owner}/finalizers: update`,
  'jobs: get list create patch delete',
  'pods: list',
  // To report, and to find out why a Job has no Pods.
  'events: list create',
  'subjectaccessreviews: create',
];
const governing = [
  ...['suspendpolicies', 'clustersuspendpolicies'].flatMap((policies) => [
    `${policies}: get list patch`,
    `${policies}/status: patch`,
  ]),
  ...['jobs', 'jobflows', 'daemonjobs', 'appwrappers', 'localqueues', 'workloads'].map(
    (governed) => `${governed}: get list patch`,
  ),
  'priorityclasses: list',
  'namespaces: list',
  'events: create',
];

describe.each([
  ['flow-advance', ['JobFlow', 'JobTemplate'], [...creatingJobs('jobflows'), 'jobtemplates: get']],
  ['daemon-fanout', ['DaemonJob'], [...creatingJobs('daemonjobs'), 'nodes: get list']],
  ['suspend-schedule', ['SuspendPolicy', 'ClusterSuspendPolicy'], governing],
  [
    'kueue-workload-sync',
    [],
    [
      ...['jobflows', 'daemonjobs', 'appwrappers'].flatMap((kind) => [
        `${kind}: get patch delete`,
        `${kind}/finalizers: update`,
      ]),
      'jobtemplates: get',
      'jobsets: get',
      'jobs: get list patch',
      'workloads: get list create patch delete',
      'workloads/status: patch',
      ...['resourceflavors', 'workloadpriorityclasses', 'priorityclasses'].map(
        (read) => `${read}: get`,
      ),
      'events: create',
    ],
  ],
  [
    'appwrapper-lifecycle',
    ['AppWrapper'],
    [
      'appwrappers: get patch delete',
      'appwrappers/status: patch',
      'appwrappers/finalizers: update',
      'nodes: list',
      'pods: get list create delete',
      ...[
        ...['jobs', 'jobflows', 'daemonjobs', 'services', 'deployments', 'statefulsets'],
        ...['jobsets', 'pytorchjobs', 'leaderworkersets', 'rayclusters', 'rayjobs', 'podgroups'],
        'trainjobs',
      ].map((wrapped) => `${wrapped}: get create delete`),
      'events: create',
      'subjectaccessreviews: create',
    ],
  ],
])('%s', (name, kinds, rights) => {
  const subscription = subscriptions.find((each) => each.name === name)!;

  it('brings its kinds', () => {
    expect(subscription.kinds.map(({ resource }) => resource.kind)).toEqual(kinds);
  });

  it('may do what it does, and nothing else', () => {
    const granted = subscription.access.map(rightIn);
    expect(granted.toSorted()).toEqual([...rights, ...anyFunction].toSorted());
  });
});

it('flow-admission may look up and try, and nothing else', () => {
  expect(flowAdmissionAccess.map(rightIn)).toEqual([
    'jobtemplates: get',
    'nodes: get',
    'jobs: create',
    'subjectaccessreviews: create',
    'namespaces kube-system: get',
  ]);
});
