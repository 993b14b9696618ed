/** The rules on a DaemonJob beyond its schema, in the API server's words, as in job-flow-rules.ts. */
import { jsonEqual } from '#shared/domain/merge-patch.ts';
import { contentHash } from '#shared/domain/hash.ts';
import { demandsOnNodes, mostDemandsOnNodes } from '#shared/domain/node-eligibility.ts';
import type { Json } from '#shared/domain/objects.ts';
import { daemonJobKind, type DaemonJob, type DaemonJobSpec } from './daemon-job.ts';
import { daemonJobDefaults, frozenDaemonJobFields } from './daemon-job-defaults.ts';
import type { Fault } from './fault.ts';
import { globalParamsFaults } from './global-params-faults.ts';
import { listFaults } from './list-faults.ts';
import { podSpecFaults, podTemplateFaults } from './pod-template-rules.ts';
import { structuralSchema } from './structural-schema.ts';

const specSchema = structuralSchema(daemonJobKind.spec);

/** Breaches of the policy's CEL rules about one object. */
export function daemonJobRuleFaults(spec: DaemonJobSpec): readonly Fault[] {
  return [
    ...globalParamsFaults(spec.globalParams ?? {}),
    ...podTemplateFaults(spec, 'spec'),
    ...endlessFaults(spec),
  ];
}

/** Breaches inside the template, which the API server does not look into. */
export function daemonJobTemplateFaults(spec: DaemonJobSpec): readonly Fault[] {
  const faults = podSpecFaults(spec, 'spec');
  return faults.length > 0 ? faults : demandingFaults(spec);
}

function demandingFaults({ template }: DaemonJobSpec): readonly Fault[] {
  const count = demandsOnNodes(template.spec);
  if (count <= mostDemandsOnNodes) return [];
  const message = `the required node affinity and the tolerations have ${count} terms, requirements and tolerations, at most ${mostDemandsOnNodes} are allowed; select the nodes by a label instead`;
  return [{ path: 'spec.template.spec', message }];
}

/** Duplicates in the lists of a spec with the right shape. */
export function daemonJobUniquenessFaults(spec: DaemonJobSpec): readonly Fault[] {
  return listFaults(specSchema, spec, 'spec');
}

/** Frozen fields that differ between the two, both as the API server returns them. */
export function changedDaemonJobFields(
  before: DaemonJobSpec,
  after: DaemonJobSpec,
): readonly string[] {
  return frozenDaemonJobFields.filter((name) => !jsonEqual(before[name], after[name]));
}

/** Refused changes of a started DaemonJob. */
export function daemonJobUpdateFaults(
  before: Pick<DaemonJob, 'spec' | 'status'>,
  after: Pick<DaemonJob, 'spec'>,
): readonly Fault[] {
  if (before.status?.startTime === undefined) return [];
  return changedDaemonJobFields(before.spec, after.spec).map((name) => ({
    path: `spec.${name}`,
    message:
      'frozen once the DaemonJob has started; excludeNodeList, parallelism, failurePolicy, suspend, shutdown, paused, activeDeadlineSeconds and ttlSecondsAfterFinished may change; delete the DaemonJob first, or apply this under another name',
  }));
}

/** For `status.specHash`: equal as long as the policy accepts a change from one to the other. */
export function frozenDaemonJobHash(spec: DaemonJobSpec): string {
  let known = hashes.get(spec);
  if (known === undefined) {
    known = contentHash(frozenPart(spec));
    hashes.set(spec, known);
  }
  return known;
}

/** A DaemonJob is decided about for each of its Jobs, and its template may be large. */
const hashes = new WeakMap<DaemonJobSpec, string>();

function frozenPart(spec: DaemonJobSpec): Json {
  const part = frozenDaemonJobFields.map((name) => [name, spec[name]] as const);
  return Object.fromEntries(part.filter(([, value]) => value !== undefined));
}

function endlessFaults(spec: DaemonJobSpec): readonly Fault[] {
  const policy = spec.completionPolicy ?? daemonJobDefaults.completionPolicy;
  const { ttlSecondsAfterFinished: ttl, activeDeadlineSeconds: deadline } = spec;
  if (policy !== 'Never' || (ttl === undefined && deadline === undefined)) return [];
  const message =
    'a DaemonJob with completionPolicy Never does not end, so neither ttlSecondsAfterFinished nor activeDeadlineSeconds may be set';
  return [{ path: 'spec', message }];
}
