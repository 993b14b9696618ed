import type { AccessRule } from '#shared/domain/access-rule.ts';
import { resources } from '#shared/domain/resources.ts';
import {
  certificateSecret,
  redisName,
  secrets,
  webhookConfigurationName,
} from '#shared/installation/names.ts';

/**
 * Only Secrets that it creates itself, by name, in its own namespace, and the certificates that the API server
 * trusts when it calls Millrace's admissions.
 *
 * @contract deploy/generate.ts finds it by functions/processes.ts and renders the Role of credentials from it.
 */
export function credentialsAccess(admissions: readonly string[]): readonly AccessRule[] {
  const names = [...Object.values(secrets), ...[...admissions, redisName].map(certificateSecret)];
  const webhooks = admissions.map(webhookConfigurationName);
  const { Namespace, Secret, MutatingWebhookConfiguration, ValidatingWebhookConfiguration } =
    resources;
  return [
    // For its uid: the keys that users of Redis may touch begin with it.
    { resource: Namespace, names: ['kube-system'], verbs: ['get'] },
    { resource: Secret, namespace: 'own', verbs: ['create'] },
    { resource: Secret, namespace: 'own', names, verbs: ['get', 'patch'] },
    { resource: MutatingWebhookConfiguration, names: webhooks, verbs: ['get', 'patch'] },
    { resource: ValidatingWebhookConfiguration, names: webhooks, verbs: ['get', 'patch'] },
  ];
}
