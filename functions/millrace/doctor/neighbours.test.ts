import { expect, it } from 'vitest';
import { resources } from '#shared/domain/resources.ts';
import { MillraceError } from '#shared/domain/errors.ts';
import { knativeService } from '../installation/installed-resources.ts';
import { examineNeighbours } from './neighbours.ts';
import type { Patient } from './examination.ts';

interface Around {
  readonly webhooks?: readonly object[];
  readonly isKnativeServed?: boolean;
  readonly chosen?: Patient['chosen'];
}

async function found({ webhooks = [], isKnativeServed = false, chosen }: Around) {
  const client = {
    get: () => Promise.resolve(undefined),
    list: ({ kind, group }: { readonly kind: string; readonly group: string }) => {
      const isMutating = kind === resources.MutatingWebhookConfiguration.kind;
      if (group === knativeService.group && !isKnativeServed)
        return Promise.reject(new MillraceError('MR_API_NOT_FOUND', {}));
      return Promise.resolve({ items: isMutating ? webhooks : [] });
    },
  };
  const cluster = { kubectl: 'kubectl', program: 'millrace', options: '' };
  const patient = { client, cluster, ...(chosen === undefined ? {} : { chosen }) };
  const findings = await examineNeighbours(patient as never);
  return new Map(findings.map((finding) => [finding.about, finding]));
}

const webhook = (name: string, labels: object) => ({
  metadata: { name, labels },
  webhooks: [{ rules: [{ apiGroups: ['workload.codeflare.dev'] }] }],
});

it('finds the webhooks of another controller of AppWrappers, and not our own', async () => {
  const ours = webhook('millrace-appwrapper-admission', {
    'app.kubernetes.io/part-of': 'millrace',
  });
  const other = webhook('codeflare-operator-mutating', {});
  const findings = await found({ webhooks: [ours, other] });
  expect(findings.get('webhooks of AppWrappers')).toEqual({
    about: 'webhooks of AppWrappers',
    verdict: 'warn',
    detail:
      'MutatingWebhookConfiguration codeflare-operator-mutating is not of Millrace: another controller of AppWrappers may be installed',
    next: 'kubectl describe mutatingwebhookconfigurations codeflare-operator-mutating',
  });
  const kueue = webhook('kueue-mutating-webhook-configuration', {});
  kueue.webhooks[0]?.rules.push({ apiGroups: ['kueue.x-k8s.io'] });
  const around = await found({ webhooks: [ours, kueue] });
  expect(around.has('webhooks of AppWrappers')).toBe(false);
});

it('says whether Knative is there, and fails where functions run on it and it is not', async () => {
  const about = 'Knative Serving';
  expect((await found({ isKnativeServed: true })).get(about)).toMatchObject({
    detail: 'is served',
  });
  expect((await found({})).get(about)).toMatchObject({ verdict: 'ok' });
  const chosen = { namespace: 'millrace', knative: true };
  expect((await found({ chosen })).get(about)).toMatchObject({
    verdict: 'fail',
    next: 'millrace upgrade',
  });
});
