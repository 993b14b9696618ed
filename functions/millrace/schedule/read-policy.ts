/** Reads suspend policies for a preview: from a file, from standard input, or from a cluster. */
import { existsSync } from 'node:fs';
import type { Verdict } from '#shared/api/fault.ts';
import type { SuspendPolicy } from '#shared/api/suspend-policy.ts';
import { validateClusterSuspendPolicy, validateSuspendPolicy } from '#shared/api/validate.ts';
import { fieldsOf, textOf } from '#shared/domain/json-value.ts';
import type { KubeObject, NewObject } from '#shared/domain/objects.ts';
import { ownMember } from '#shared/domain/own-member.ts';
import { resources } from '#shared/domain/resources.ts';
import { CommandFailure, exitCodes } from '../command-failure.ts';
import type { SchedulePreviewOptions } from '../commands/schedule-preview-options.ts';
import { requireManifests, requireValid } from '../manifests/manifests.ts';

type NamedPolicy = NewObject & Pick<SuspendPolicy, 'spec'>;

const judges: Readonly<Record<string, (input: unknown) => Verdict<NamedPolicy>>> = {
  SuspendPolicy: validateSuspendPolicy,
  ClusterSuspendPolicy: validateClusterSuspendPolicy,
};

const policyKinds = [
  { resource: resources.SuspendPolicy },
  { resource: resources.ClusterSuspendPolicy },
];

/** Every policy of a file, or the named one. Throws CommandFailure. */
export async function readPolicies(
  what: string,
  options: SchedulePreviewOptions,
): Promise<readonly NamedPolicy[]> {
  const isFile = what === '-' || /\.(ya?ml|json)$/.test(what) || existsSync(what);
  if (isFile) return policiesIn(what);
  return [judged(what, await readFromCluster(what, options))];
}

async function policiesIn(file: string): Promise<readonly NamedPolicy[]> {
  const policies = (await requireManifests([file])).flatMap((manifest) => {
    const judge = ownMember(judges, textOf(fieldsOf(manifest.value)['kind']));
    return judge === undefined ? [] : [requireValid(manifest, judge)];
  });
  if (policies.length > 0) return policies;
  throw new CommandFailure(
    exitCodes.invalidInput,
    `${file} holds no SuspendPolicy and no ClusterSuspendPolicy`,
    'name a file with one, or the name of one in the cluster',
  );
}

/** A policy of the cluster is validated too: it may have been stored by another version. */
function judged(what: string, manifest: KubeObject): NamedPolicy {
  const verdict = ownMember(judges, manifest.kind)?.(manifest);
  if (verdict?.ok === true) return verdict.value;
  const faults = (verdict?.faults ?? []).map(({ path, message }) => `${path}: ${message}`);
  throw new CommandFailure(
    exitCodes.invalidInput,
    `${what}: ${faults.join('; ')}`,
    'correct it; kubectl explain suspendpolicy.spec.schedule describes each field',
  );
}

/** Accepts `nights`, `suspendpolicy/nights` or `clustersuspendpolicy/nights`. */
async function readFromCluster(what: string, options: SchedulePreviewOptions): Promise<KubeObject> {
  // Access to a cluster costs 100 ms, so its modules are loaded only here.
  const [{ findOne }, { openCluster }] = await Promise.all([
    import('../find-named.ts'),
    import('../open-cluster.ts'),
  ]);
  await using cluster = await openCluster(options, 'schedule');
  return (await findOne(what, policyKinds, cluster)).object;
}
