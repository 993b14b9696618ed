/** flow-admission in this process, registered for one namespace of a cluster. */
import { flowAdmissions } from '#functions/flow-admission/admissions.ts';
import { webhookConfigurations } from '#shared/admission/webhook-configuration.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import { apiReader } from '#shared/kube/api-reader.ts';
import { clusterInquiry } from '#shared/kube/inquiry.ts';
import { defaultPolicy, type PodPolicy } from '#shared/policy/pod-policy.ts';
import {
  serveAdmissions,
  type ServedAdmissions,
} from '#shared/runtime/testing/served-admissions.ts';
import { vi } from 'vitest';
import { openClient } from './cluster-client.ts';
import { kubectlOrThrow, type Kubectl } from './control-plane/kubectl.ts';

export interface RegisteredAdmissions {
  readonly served: ServedAdmissions;
  /** From now on the API server trusts this authority and no other; PEM. */
  trust(authority: string): Promise<void>;
  stop(): Promise<void>;
}

export interface RegistrationOptions {
  readonly kubectl: Kubectl;
  /** Of the admission itself: what its own role lacks fails. */
  readonly kubeconfig: string;
  /** Nothing else is reviewed. */
  readonly namespace: string;
  readonly policy?: PodPolicy;
}

const probe: JsonObject = {
  apiVersion: 'api.practice.com/v1alpha1',
  kind: 'JobFlow',
  metadata: { name: 'probe', annotations: { 'millrace.dev/submitter': 'nobody' } },
  spec: { flows: [{ name: 'a', jobTemplateRef: 'none' }] },
};

/** Returns when both webhooks are in effect. */
export async function registerFlowAdmission(
  options: RegistrationOptions,
): Promise<RegisteredAdmissions> {
  const { kubectl, kubeconfig, namespace, policy = defaultPolicy } = options;
  const own = await openClient(kubeconfig, 'flow-admission');
  const admissions = flowAdmissions(policy);
  const cluster = clusterInquiry(own.client, apiReader(own.client));
  const served = await serveAdmissions({ admissions, cluster });
  const trusting = (authority: string): string => {
    const caBundle = Buffer.from(authority).toString('base64');
    const items = webhookConfigurations(admissions, {
      metadata: { name: `flow-admission.${namespace}` },
      clientConfigOf: ({ name }) => ({ url: `${served.url}/${name}`, caBundle }),
      namespace,
    });
    return JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
  };
  const trust = async (authority: string): Promise<void> => {
    const apply = ['apply', '--server-side', '-f', '-'];
    await kubectlOrThrow(kubectl, apply, { input: trusting(authority) });
  };
  await trust(served.ca);
  await untilReviewed(kubectl, namespace);
  const stop = async (): Promise<void> => {
    await kubectlOrThrow(kubectl, ['delete', '-f', '-'], { input: trusting(served.ca) });
    await served.stop();
    await own[Symbol.asyncDispose]();
  };
  return { served, trust, stop };
}

/** Each of the two says something of the probe; the configurations come by watches of their own. */
async function untilReviewed(kubectl: Kubectl, namespace: string): Promise<void> {
  const args = ['-n', namespace, 'create', '--dry-run=server', '-f', '-'];
  const isReviewed = async () => {
    const { stderr } = await kubectl(args, { input: JSON.stringify(probe) });
    const told = ['yours is replaced', 'no JobTemplate "none"'];
    if (!told.every((words) => stderr.includes(words))) {
      throw new Error(`not reviewed yet: ${stderr}`);
    }
  };
  await vi.waitFor(isReviewed, { timeout: 10_000 });
}
