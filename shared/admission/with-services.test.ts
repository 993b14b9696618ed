import { expect, it } from 'vitest';
import type { Review } from '#shared/domain/admission-decision.ts';
import { defineAdmission, type Admission } from './admission.ts';
import { knownCluster } from './testing/known-cluster.ts';
import { withServices } from './with-services.ts';

interface Known {
  readonly limit: number;
  readonly asksAlways: boolean;
}

const admission: Admission<readonly unknown[], Known> = defineAdmission({
  name: 'limit',
  mode: 'validating',
  reviews: [
    { resource: { group: '', version: 'v1', plural: 'configmaps' }, operations: ['CREATE'] },
  ],
  registration: {
    failurePolicy: 'Fail',
    timeoutSeconds: 3,
    matchConditions: [
      { name: 'always', expression: 'true' },
      { name: 'sometimes', expression: 'false', unless: ({ asksAlways }: Known) => asksAlways },
    ],
  },
  lookUp: (_, { limit, reader }) => Promise.resolve([limit, reader]),
  decide: () => ({ allowed: true }),
});

const conditionsBy = (asksAlways: boolean) =>
  withServices([admission], { limit: 3, asksAlways })[0]!.registration.matchConditions?.map(
    ({ name }) => name,
  );

it('a look-up is given the services of the host beside the cluster', async () => {
  const [served] = withServices([admission], { limit: 3, asksAlways: false });
  const cluster = knownCluster();
  const facts = await served?.lookUp?.({} as Review, cluster, new AbortController().signal);
  expect(facts).toEqual([3, cluster.reader]);
});

it('a condition that the services lift is not asked for', () => {
  expect(conditionsBy(false)).toEqual(['always', 'sometimes']);
  expect(conditionsBy(true)).toEqual(['always']);
});
