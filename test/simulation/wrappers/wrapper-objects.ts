/** The manifests of AppWrappers, as the webhook stores them. */
import type { JsonObject, NewObject } from '#shared/domain/objects.ts';
import { priorityLabel, queueLabel } from '#shared/domain/queue-labels.ts';
import { wrapperAnnotations } from '#shared/domain/wrapper-keys.ts';
import { namespace } from '../flow-objects.ts';
import { queueName } from '../queues/queue-plans.ts';
import type { PartPlan, WrapperPlan } from './wrapper-plans.ts';

/** Shorter than the defaults, which would only cost virtual time. */
const graces = {
  [wrapperAnnotations.admissionGrace]: '40s',
  [wrapperAnnotations.warmupGrace]: '60s',
  [wrapperAnnotations.failureGrace]: '1s',
  [wrapperAnnotations.retryPause]: '2s',
  [wrapperAnnotations.forcefulDeletionGrace]: '8s',
};

export function wrapperObject(plan: WrapperPlan): NewObject {
  const { name, queue, suspend, parts } = plan;
  const isSuspended = suspend === true || queue !== undefined;
  const labels = queue && { [queueLabel]: queueName, [priorityLabel]: queue };
  return {
    apiVersion: 'workload.codeflare.dev/v1beta2',
    kind: 'AppWrapper',
    metadata: { name, namespace, annotations: settingsOf(plan), ...(labels && { labels }) },
    spec: {
      ...(isSuspended ? { suspend: true } : {}),
      components: parts.map((part, index) => ({ template: template(part, `${name}-${index}`) })),
    },
  };
}

function settingsOf(plan: WrapperPlan): Readonly<Record<string, string>> {
  const { retryLimit, successTtlSeconds, deletionOnFailureSeconds, terminalExitCode } = plan;
  const some = (key: string, text: string | undefined) =>
    text === undefined ? {} : { [key]: text };
  const seconds = (value: number | undefined) => (value === undefined ? undefined : `${value}s`);
  return {
    ...graces,
    [wrapperAnnotations.retryLimit]: String(retryLimit),
    ...some(wrapperAnnotations.successTtl, seconds(successTtlSeconds)),
    ...some(wrapperAnnotations.deletionOnFailureGrace, seconds(deletionOnFailureSeconds)),
    ...some(wrapperAnnotations.terminalExitCodes, terminalExitCode?.toString()),
  };
}

const container = {
  name: 'main',
  image: 'busybox',
  resources: { requests: { cpu: '1' } },
};
const pod: JsonObject = {
  restartPolicy: 'Never',
  terminationGracePeriodSeconds: 30,
  containers: [container],
};

function template({ kind, generatesName }: PartPlan, name: string): JsonObject {
  const metadata = generatesName === true ? { generateName: `${name}-` } : { name };
  switch (kind) {
    case 'Pod':
      return { apiVersion: 'v1', kind, metadata, spec: pod };
    case 'Job':
      return {
        ...{ apiVersion: 'batch/v1', kind, metadata },
        spec: { backoffLimit: 0, template: { spec: pod } },
      };
    case 'Service':
      return { apiVersion: 'v1', kind, metadata, spec: { ports: [{ port: 80 }] } };
    case 'ConfigMap':
      return { apiVersion: 'v1', kind, metadata, data: { greeting: 'hello' } };
  }
}
