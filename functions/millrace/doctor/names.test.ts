import { expect, it } from 'vitest';
import { kinds } from '#functions/list.ts';
import { examineNames } from './names.ts';

const definition = (name: string, names: object) => ({
  ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
  ...{ metadata: { name }, spec: { names } },
});
const ours = definition('jobflows.api.practice.com', { plural: 'jobflows', shortNames: ['mjf'] });

const examined = (...definitions: readonly object[]) => {
  const client = { list: () => Promise.resolve({ items: definitions }) };
  const cluster = { kubectl: 'kubectl' };
  return examineNames(kinds, { client, cluster } as never);
};

it('takes our own definitions for no clash', async () => {
  const other = definition('queues.scheduling.volcano.sh', { plural: 'queues' });
  expect(await examined(ours, other)).toMatchObject({ verdict: 'ok' });
});

it('finds a kind of others by the same plural, and how to name ours', async () => {
  const volcano = { plural: 'jobflows', singular: 'jobflow', shortNames: ['jf'] };
  expect(await examined(ours, definition('jobflows.flow.volcano.sh', volcano))).toEqual({
    about: 'names of kinds',
    verdict: 'warn',
    detail:
      'jobflows, jobflow may mean jobflows.flow.volcano.sh instead of jobflows.api.practice.com; type the whole name',
    next: 'kubectl get jobflows.api.practice.com -A',
  });
});

it('finds a kind of others by the same short name', async () => {
  const other = definition('awards.example.com', { plural: 'awards', shortNames: ['aw'] });
  expect(await examined(other)).toMatchObject({
    verdict: 'warn',
    detail: expect.stringMatching(/^aw may mean awards/) as string,
  });
});
