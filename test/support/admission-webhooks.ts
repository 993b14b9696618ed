/** Admissions in this process, registered for one namespace of a cluster. */
import { flowAdmissions } from '#functions/flow-admission/testing/admissions.ts';
import type { Admission } from '#shared/admission/admission.ts';
import { webhookConfigurations } from '#shared/admission/webhook-configuration.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import { apiReader } from '#shared/kube/api-reader.ts';
import { clusterInquiry } from '#shared/kube/inquiry.ts';
import { rememberingInquiry } from '#shared/kube/remembering-inquiry.ts';
import { systemClock } from '#shared/runtime/process/system-clock.ts';
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
  /** From then on the API server trusts only this authority (PEM). */
  trust(authority: string): Promise<void>;
  stop(): Promise<void>;
}

export interface RegistrationOptions {
  readonly kubectl: Kubectl;
  /** The admission's own kubeconfig, so that a right missing from its role shows. */
  readonly kubeconfig: string;
  /** Only objects in this namespace are reviewed. */
  readonly namespace: string;
}

interface Registered {
  /** Name of the process. */
  readonly name: string;
  readonly admissions: readonly Admission[];
  /** Throws until all of them are in effect: the API server watches the configurations. */
  readonly reviewed: () => Promise<void>;
}

/** Returns when the webhooks are in effect. */
export async function registerAdmissions(
  { kubectl, kubeconfig, namespace }: RegistrationOptions,
  { name: process, admissions, reviewed }: Registered,
): Promise<RegisteredAdmissions> {
  const own = await openClient(kubeconfig, process);
  const cluster = rememberingInquiry(
    clusterInquiry(own.client, apiReader(own.client)),
    systemClock,
  );
  const served = await serveAdmissions({ admissions, cluster });
  const trusting = (authority: string): string => {
    const caBundle = Buffer.from(authority).toString('base64');
    const items = webhookConfigurations(admissions, {
      metadata: { name: `${process}.${namespace}` },
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
  await vi.waitFor(reviewed);
  const stop = async (): Promise<void> => {
    await kubectlOrThrow(kubectl, ['delete', '-f', '-'], { input: trusting(served.ca) });
    await served.stop();
    await own[Symbol.asyncDispose]();
  };
  return { served, trust, stop };
}

export async function registerFlowAdmission({
  policy = defaultPolicy,
  ...options
}: RegistrationOptions & { readonly policy?: PodPolicy }): Promise<RegisteredAdmissions> {
  return registerAdmissions(options, {
    name: 'flow-admission',
    admissions: flowAdmissions(policy),
    reviewed: () => flowsReviewed(options),
  });
}

/** Each of the two webhooks reacts to it. */
const probe: JsonObject = {
  apiVersion: 'api.practice.com/v1alpha1',
  kind: 'JobFlow',
  metadata: { name: 'probe', annotations: { 'millrace.dev/submitter': 'nobody' } },
  spec: { flows: [{ name: 'a', jobTemplateRef: 'none' }] },
};

async function flowsReviewed({ kubectl, namespace }: RegistrationOptions): Promise<void> {
  const args = ['-n', namespace, 'create', '--dry-run=server', '-f', '-'];
  const { stderr } = await kubectl(args, { input: JSON.stringify(probe) });
  const expected = ['Millrace replaces your value', 'no JobTemplate "none"'];
  if (expected.every((words) => stderr.includes(words))) return;
  throw new Error(`not reviewed yet: ${stderr}`);
}
