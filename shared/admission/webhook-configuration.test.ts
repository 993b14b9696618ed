import { describe, expect, it } from 'vitest';
import { protectKept, stampAuthor } from './testing/sample-admissions.ts';
import { webhookConfigurations, type Registrar } from './webhook-configuration.ts';

const registrar: Registrar = {
  metadata: { name: 'samples', labels: { a: 'b' } },
  clientConfigOf: ({ name }) => ({ url: `https://127.0.0.1:1/${name}`, caBundle: 'Q0E=' }),
};
const both = [stampAuthor, protectKept];

describe('webhook configurations', () => {
  it('one for what changes objects and one for what judges them', () => {
    const configurations = webhookConfigurations(both, registrar);
    expect(configurations.map(({ kind, metadata }) => [kind, metadata])).toEqual([
      ['MutatingWebhookConfiguration', registrar.metadata],
      ['ValidatingWebhookConfiguration', registrar.metadata],
    ]);
  });

  it('none for a mode that nothing has', () => {
    expect(webhookConfigurations([protectKept], registrar)).toHaveLength(1);
  });

  it('say of a webhook what its admission declares', () => {
    const [validating] = webhookConfigurations([protectKept], registrar);
    expect(validating?.['webhooks']).toEqual([
      {
        name: 'protect-kept.millrace.dev',
        clientConfig: { url: 'https://127.0.0.1:1/protect-kept', caBundle: 'Q0E=' },
        rules: [
          {
            apiGroups: [''],
            apiVersions: ['v1'],
            resources: ['configmaps'],
            operations: ['CREATE', 'DELETE'],
          },
        ],
        namespaceSelector: {
          matchExpressions: [
            {
              key: 'kubernetes.io/metadata.name',
              operator: 'NotIn',
              values: ['kube-system', 'kube-node-lease', 'kube-public'],
            },
          ],
        },
        failurePolicy: 'Fail',
        timeoutSeconds: 3,
        matchPolicy: 'Equivalent',
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
      },
    ]);
  });

  it('exempt the namespace of their server', () => {
    const [validating] = webhookConfigurations([protectKept], { ...registrar, own: 'millrace' });
    expect(JSON.stringify(validating)).toContain(
      '"values":["kube-system","kube-node-lease","kube-public","millrace"]',
    );
  });

  it('refuse nothing of others for a server that may vanish, and concern one namespace where one is served', () => {
    const own = { ...registrar, mayVanish: true, namespace: 'team-a' } as const;
    const [validating] = webhookConfigurations([protectKept], own);
    expect(validating?.['webhooks']).toMatchObject([
      {
        failurePolicy: 'Ignore',
        namespaceSelector: { matchExpressions: [{ operator: 'In', values: ['team-a'] }] },
      },
    ]);
  });

  it('carry match conditions', () => {
    const matchConditions = [{ name: 'only', expression: 'true' }];
    const admission = {
      ...protectKept,
      registration: { ...protectKept.registration, matchConditions },
    };
    const [validating] = webhookConfigurations([admission], registrar);
    expect(validating?.['webhooks']).toMatchObject([{ matchConditions }]);
  });
});
