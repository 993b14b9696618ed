/** Validating- and MutatingWebhookConfiguration (pkg/apis/admissionregistration/v1/defaults.go). */
import { forbidden, required } from '../../apimachinery/cause.ts';
import type { Draft } from '../draft.ts';
import type { StatusCause } from '../../apimachinery/status-error.ts';
import { plain, type Strategy } from '../strategy.ts';

interface Webhook {
  readonly name?: string;
  readonly clientConfig?: { readonly url?: string; readonly service?: object };
  readonly sideEffects?: string;
  readonly admissionReviewVersions?: readonly string[];
  readonly rules?: readonly object[];
  readonly reinvocationPolicy?: string;
}

export const webhookConfiguration: Strategy = {
  ...plain,
  allowsUnconditionalUpdate: false,
  defaults: withDefaults,
  faults,
};

function withDefaults(object: Draft): Draft {
  const webhooks = object['webhooks'] as readonly Webhook[] | undefined;
  if (webhooks === undefined || Object.isFrozen(webhooks)) return object;
  const isMutating = object.kind === 'MutatingWebhookConfiguration';
  return {
    ...object,
    webhooks: webhooks.map((webhook) => ({
      failurePolicy: 'Fail',
      matchPolicy: 'Equivalent',
      namespaceSelector: {},
      objectSelector: {},
      timeoutSeconds: 10,
      ...(isMutating ? { reinvocationPolicy: 'Never' } : {}),
      ...webhook,
      rules: (webhook.rules ?? []).map((rule) => ({ scope: '*', ...rule })),
    })),
  };
}

function faults(object: Draft): readonly StatusCause[] {
  const webhooks = (object['webhooks'] ?? []) as readonly Webhook[];
  return webhooks.flatMap((webhook, place) => webhookFaults(webhook, `webhooks[${place}]`));
}

function webhookFaults(webhook: Webhook, path: string): readonly StatusCause[] {
  const { name = '', clientConfig, sideEffects, admissionReviewVersions = [] } = webhook;
  const found: StatusCause[] = [];
  if (name === '') found.push(required(`${path}.name`));
  if (clientConfig?.url === undefined) {
    const detail =
      clientConfig?.service === undefined
        ? 'exactly one of url or service is required'
        : 'the sandbox has no Services to call: only clientConfig.url is simulated';
    found.push(
      clientConfig?.service === undefined
        ? required(`${path}.clientConfig`, detail)
        : forbidden(`${path}.clientConfig.service`, detail),
    );
  }
  found.push(...notSimulated(webhook, path));
  if (sideEffects === undefined) {
    found.push(required(`${path}.sideEffects`, 'must specify one of None, NoneOnDryRun'));
  }
  if (admissionReviewVersions.length === 0) {
    found.push(required(`${path}.admissionReviewVersions`, 'must specify one of v1, v1beta1'));
  } else if (!admissionReviewVersions.includes('v1')) {
    found.push(forbidden(`${path}.admissionReviewVersions`, 'the sandbox speaks v1 only'));
  }
  return found;
}

/** Refuses settings that would call the webhook more often than the stored object says. */
function notSimulated(
  { reinvocationPolicy = 'Never' }: Webhook,
  path: string,
): readonly StatusCause[] {
  if (reinvocationPolicy === 'Never') return [];
  const detail = 'the sandbox calls a webhook once: only Never is simulated';
  return [forbidden(`${path}.reinvocationPolicy`, detail)];
}
