import { describe, expect, it } from 'vitest';
import { asResourceVersion, asUid } from '#shared/domain/objects.ts';
import { membershipOf } from './pod-owners.ts';

const wrapper = asUid('uid-of-wrapper');

interface Owner {
  readonly kind: string;
  readonly name: string;
  readonly uid?: string;
}

function membership(component: readonly [string, string], pod: string, owner?: Owner) {
  const [apiVersion, kind] = component;
  const reference = owner && {
    ...{ apiVersion: 'x/v1', kind: owner.kind, name: owner.name, controller: true },
    uid: asUid(owner.uid ?? 'uid'),
  };
  const metadata = {
    ...{ name: pod, uid: asUid('p'), resourceVersion: asResourceVersion('1') },
    ...(reference === undefined ? {} : { ownerReferences: [reference] }),
  };
  return membershipOf({ metadata }, { apiVersion, kind, name: 'train' }, wrapper);
}

const pod = ['v1', 'Pod'] as const;
const job = ['batch/v1', 'Job'] as const;
const jobSet = ['jobset.x-k8s.io/v1alpha2', 'JobSet'] as const;
const deployment = ['apps/v1', 'Deployment'] as const;

describe('a Pod that carries the label of a component', () => {
  it('is a Pod of it where it hangs together with it', () => {
    const ofWrapper = { kind: 'AppWrapper', name: 'aw', uid: wrapper };
    expect(membership(pod, 'train', ofWrapper)).toBe('member');
    expect(membership(job, 'train-x1', { kind: 'Job', name: 'train' })).toBe('member');
    expect(membership(jobSet, 'train-w-0-0', { kind: 'Job', name: 'train-w-0' })).toBe('member');
    expect(membership(deployment, 'train-5-x', { kind: 'ReplicaSet', name: 'train-5' })).toBe(
      'member',
    );
  });

  it('belongs to others where something else controls it', () => {
    expect(membership(pod, 'train', { kind: 'AppWrapper', name: 'aw' })).toBeUndefined();
    expect(membership(job, 'train-x1', { kind: 'Job', name: 'other' })).toBeUndefined();
    expect(membership(job, 'train-x1', { kind: 'Gadget', name: 'train' })).toBeUndefined();
    expect(membership(deployment, 'x', { kind: 'ReplicaSet', name: 'training' })).toBeUndefined();
  });

  it('may have been left behind by it where nothing controls it and the name agrees', () => {
    expect(membership(job, 'train-x1')).toBe('left');
    expect(membership(job, 'other-x1')).toBeUndefined();
  });

  it('is believed where the kind is not known to name and own its Pods in one way', () => {
    expect(membership(['example.com/v1', 'Gadget'], 'any')).toBe('member');
  });
});
