import type { AccessRule } from '#shared/domain/access-rule.ts';
import { resources } from '#shared/domain/resources.ts';
import {
  certificateSecret,
  redisName,
  secrets,
  webhookConfigurationName,
} from '#shared/installation/names.ts';

/**
 * Secrets of its own namespace that it made itself, by their names, and no other one; and what the API
 * server trusts where it calls our admissions.
 *
 * @contract deploy/generate.ts finds it by functions/processes.ts and renders the Role of credentials from it.
 */
export function credentialsAccess(admissions: readonly string[]): readonly AccessRule[] {
  const names = [...Object.values(secrets), ...[...admissions, redisName].map(certificateSecret)];
  const webhooks = admissions.map(webhookConfigurationName);
  const { Namespace, Secret, MutatingWebhookConfiguration, ValidatingWebhookConfiguration } =
    resources;
  return [
    // Of its uid, which begins the keys that users of Redis may touch.
    { resource: Namespace, names: ['kube-system'], verbs: ['get'] },
    { resource: Secret, namespace: 'own', verbs: ['create'] },
    { resource: Secret, namespace: 'own', names, verbs: ['get', 'patch'] },
    { resource: MutatingWebhookConfiguration, names: webhooks, verbs: ['get', 'patch'] },
    { resource: ValidatingWebhookConfiguration, names: webhooks, verbs: ['get', 'patch'] },
  ];
}
