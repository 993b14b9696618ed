import { expect, it } from 'vitest';
import { queuedKindNamed } from './queued-kinds.ts';

it('a kind of the same name in another group, or in another version, has no Workload of ours', () => {
  const ours = { apiVersion: 'api.practice.com/v1alpha1', kind: 'JobFlow' };
  expect(queuedKindNamed(ours)?.resource.plural).toBe('jobflows');
  for (const apiVersion of ['flow.volcano.sh/v1alpha1', 'api.practice.com/v1']) {
    expect(queuedKindNamed({ ...ours, apiVersion })).toBeUndefined();
  }
});
