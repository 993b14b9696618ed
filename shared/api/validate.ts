/** Millrace's own verdict on a manifest: equal to the API server's, but without one. */
import type { Json, NewObject } from '#shared/domain/objects.ts';
import { daemonJobKind, type DaemonJobSpec } from './daemon-job.ts';
import { daemonJobRuleFaults, daemonJobTemplateFaults } from './daemon-job-rules.ts';
import { verdictOf, type Fault, type Verdict } from './fault.ts';
import { jobFlowKind, type JobFlowSpec } from './job-flow.ts';
import { graphFaults, ruleFaults } from './job-flow-rules.ts';
import { podSpecFaults, podTemplateFaults } from './pod-template-rules.ts';
import { jobTemplateKind, type JobTemplateSpec } from './job-template.ts';
import { objectSchema } from './object-schema.ts';
import { schemaCheck, type SchemaCheck } from './schema-faults.ts';
import {
  clusterSuspendPolicyKind,
  suspendPolicyKind,
  type ClusterSuspendPolicySpec,
  type SuspendPolicySpec,
} from './suspend-policy.ts';
import { suspendPolicyFaults } from './suspend-policy-rules.ts';

/** A manifest from a user, without the fields that the API server assigns. */
export type JobFlowManifest = NewObject & { readonly spec: JobFlowSpec };
export type JobTemplateManifest = NewObject & { readonly spec: JobTemplateSpec };
export type DaemonJobManifest = NewObject & { readonly spec: DaemonJobSpec };
export type SuspendPolicyManifest = NewObject & { readonly spec: SuspendPolicySpec };
export type ClusterSuspendPolicyManifest = NewObject & { readonly spec: ClusterSuspendPolicySpec };

const jobFlowCheck = schemaCheck(objectSchema(jobFlowKind));
const jobTemplateCheck = schemaCheck(objectSchema(jobTemplateKind));
const daemonJobCheck = schemaCheck(objectSchema(daemonJobKind));
const suspendPolicyCheck = schemaCheck(objectSchema(suspendPolicyKind));
const clusterSuspendPolicyCheck = schemaCheck(objectSchema(clusterSuspendPolicyKind));

/**
 * Every fault that the API server finds at `kubectl apply`, and those that it cannot find
 * (`graphFaults`). No defaults are added.
 */
export function validateJobFlow(input: unknown): Verdict<JobFlowManifest> {
  return judge(jobFlowCheck, input, (flow: JobFlowManifest) => [
    ...ruleFaults(expectedName(flow), flow.spec),
    ...graphFaults(flow.spec),
  ]);
}

/** The CRD's faults alone: `validateJobFlow` without the rules that CEL cannot express. */
export function validateJobFlowAsCrd(input: unknown): Verdict<JobFlowManifest> {
  return judge(jobFlowCheck, input, (flow: JobFlowManifest) =>
    ruleFaults(expectedName(flow), flow.spec),
  );
}

/** As `validateJobFlow`. */
export function validateJobTemplate(input: unknown): Verdict<JobTemplateManifest> {
  return judge(jobTemplateCheck, input, ({ spec }: JobTemplateManifest) => [
    ...podTemplateFaults(spec.jobTemplate, 'spec.jobTemplate'),
    ...podSpecFaults(spec.jobTemplate, 'spec.jobTemplate'),
  ]);
}

/** As `validateJobFlow`. */
export function validateDaemonJob(input: unknown): Verdict<DaemonJobManifest> {
  return judge(daemonJobCheck, input, ({ spec }: DaemonJobManifest) => [
    ...daemonJobRuleFaults(spec),
    ...daemonJobTemplateFaults(spec),
  ]);
}

/** As `validateJobFlow`. */
export function validateSuspendPolicy(input: unknown): Verdict<SuspendPolicyManifest> {
  return judge(suspendPolicyCheck, input, ({ spec }: SuspendPolicyManifest) =>
    suspendPolicyFaults(spec),
  );
}

/** As `validateJobFlow`. */
export function validateClusterSuspendPolicy(
  input: unknown,
): Verdict<ClusterSuspendPolicyManifest> {
  return judge(clusterSuspendPolicyCheck, input, ({ spec }: ClusterSuspendPolicyManifest) =>
    suspendPolicyFaults(spec),
  );
}

/** Rules are checked only for an object of the right shape, as in the API server. */
function judge<Value extends NewObject>(
  check: SchemaCheck,
  input: unknown,
  rules: (value: Value) => readonly Fault[],
): Verdict<Value> {
  const normalized = check.normalize(input as Json);
  const faults = check.faults(normalized);
  const value = normalized as unknown as Value;
  return verdictOf(value, faults.length > 0 ? faults : [...nameFaults(value), ...rules(value)]);
}

function nameFaults(value: NewObject): readonly Fault[] {
  return expectedName(value) === '' ? [{ path: 'metadata.name', message: 'required' }] : [];
}

/** With the name that `generateName` leads to. */
export function asCreated<Value extends NewObject>(object: Value): Value {
  return { ...object, metadata: { ...object.metadata, name: expectedName(object) } };
}

/** A generated name keeps 58 characters of its prefix and gets five letters (apiserver, names). */
function expectedName({ metadata }: NewObject): string {
  const { name, generateName } = metadata as { name?: string; generateName?: string };
  if (name !== undefined && name !== '') return name;
  return generateName === undefined ? '' : `${generateName.slice(0, 58)}xxxxx`;
}
