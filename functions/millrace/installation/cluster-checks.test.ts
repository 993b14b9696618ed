import { expect, it } from 'vitest';
import { chosenManifests } from './chosen.ts';
import { noOtherController, stateOf } from './cluster-checks.ts';

const deployment = chosenManifests({ namespace: 'millrace' }).find(
  ({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'flow-advance',
)!;
const conditions = [{ type: 'Available', status: 'True' }];

/** The report about a Deployment of one Pod in its second generation. */
async function said(status: object): Promise<string> {
  const { apiVersion, kind, metadata } = deployment;
  const found = {
    ...{ apiVersion, kind, spec: { replicas: 1 }, status: { conditions, ...status } },
    metadata: { ...metadata, uid: 'u', resourceVersion: '1', generation: 2 },
  };
  const client = { get: () => Promise.resolve(found as never) };
  const [check] = await stateOf(client as never, [deployment]);
  return `${check?.isGood === true ? 'ok' : 'FAIL'} ${check?.detail ?? ''}`;
}

it('takes a Deployment for ready when all its Pods are of this version, and not before', async () => {
  const before = { observedGeneration: 1, replicas: 1, updatedReplicas: 1 };
  expect(await said(before)).toBe('FAIL its change has not been seen yet');
  const seen = { observedGeneration: 2 };
  expect(await said({ ...seen, replicas: 1 })).toBe('FAIL 0 of 1 Pods are of this version');
  const leaving = { ...seen, replicas: 2, updatedReplicas: 1 };
  expect(await said(leaving)).toBe('FAIL 1 old Pod is still being removed');
  expect(await said({ ...seen, replicas: 1, updatedReplicas: 1 })).toBe('ok is Available');
});

it('refuses an installation beside the original controller of AppWrappers', async () => {
  const beside = (found: object | undefined) =>
    noOtherController({ get: () => Promise.resolve(found as never) });
  expect(await beside(undefined)).toMatchObject({ isGood: true });
  const { isGood, detail } = await beside(deployment);
  expect(isGood).toBe(false);
  expect(detail).toContain('Deployment appwrapper-system/appwrapper-controller-manager');
});
