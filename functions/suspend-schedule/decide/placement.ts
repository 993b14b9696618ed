/**
 * Where the Pods of a Job may run while a policy lets it run (`onResume.placement`).
 *
 * The API server accepts a change of node selection and tolerations only for a suspended Job that has never started, or
 * since Kubernetes 1.36 once all its Pods are gone. The write that resumes the Job also places it (KEP-2926), so that
 * no Pod runs elsewhere. If that is refused, the Job is resumed without a placement. Its own placement is recorded on
 * the Job, and given back when it is suspended again.
 */
import type { ClusterSuspendPolicySpec } from '#shared/api/suspend-policy.ts';
import type { PlacedPod } from '#shared/api/work/placed-pod.ts';
import { isObject, parsedObject } from '#shared/domain/json-value.ts';
import { annotations } from '#shared/domain/labels.ts';
import { jsonEqual } from '#shared/domain/merge-patch.ts';
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import { ownMember } from '#shared/domain/own-member.ts';
import type { SelectedObject } from '../snapshot.ts';

type Placement = NonNullable<NonNullable<ClusterSuspendPolicySpec['onResume']>['placement']>;

/** The parts of a patch that place a Job. Undefined: there is no placement, or the Job has it already. */
export function placing(
  placement: Placement | undefined,
  { pod, placed }: SelectedObject,
): { readonly template: JsonObject; readonly annotations: JsonObject } | undefined {
  if (placement === undefined || pod === undefined || placed !== undefined) {
    return undefined;
  }
  const wanted = withPlacement(pod, placement);
  if (jsonEqual(wanted, pod)) return undefined;
  return {
    template: templatePatch(pod, wanted),
    annotations: { [annotations.placed]: JSON.stringify(pod) },
  };
}

/** The parts of a patch that give the Job its own placement back. Undefined: the Job has it. */
export function unplacing({
  pod,
  placed,
}: SelectedObject):
  { readonly template: JsonObject; readonly annotations: JsonObject } | undefined {
  const before: PlacedPod | undefined = parsedObject(placed);
  if (before === undefined || pod === undefined) return undefined;
  return { template: templatePatch(pod, before), annotations: { [annotations.placed]: null } };
}

/** The Job's own requests stay. */
function withPlacement(pod: PlacedPod, placement: Placement): PlacedPod {
  const { nodeSelector = {}, tolerations = [], nodeAffinity } = placement;
  const own = pod.tolerations ?? [];
  const added = (tolerations as readonly Json[]).filter(
    (toleration) => !own.some((known) => jsonEqual(meaningOf(known), meaningOf(toleration))),
  );
  const affinity = pod.nodeAffinity ?? nodeAffinity;
  return {
    ...(Object.keys(nodeSelector).length === 0 && pod.nodeSelector === undefined
      ? {}
      : { nodeSelector: { ...nodeSelector, ...pod.nodeSelector } }),
    ...(added.length === 0 && pod.tolerations === undefined
      ? {}
      : { tolerations: [...own, ...added] }),
    ...(affinity === undefined ? {} : { nodeAffinity: affinity }),
  };
}

/** core/v1 Toleration: an empty string counts as absent, and an absent operator as Equal. */
function meaningOf(toleration: Json): Json {
  if (!isObject(toleration)) return toleration;
  const { operator, ...rest } = toleration;
  const said = Object.entries(rest).filter(([, value]) => value !== '');
  return {
    ...Object.fromEntries(said),
    operator: operator === undefined || operator === '' ? 'Equal' : operator,
  };
}

/** A merge patch on `spec.template` from one to the other. */
function templatePatch(from: PlacedPod, to: PlacedPod): JsonObject {
  const dropped = Object.keys(from.nodeSelector ?? {}).filter(
    (key) => ownMember(to.nodeSelector, key) === undefined,
  );
  const selector =
    to.nodeSelector === undefined
      ? null
      : { ...to.nodeSelector, ...Object.fromEntries(dropped.map((key) => [key, null])) };
  return {
    spec: {
      nodeSelector: selector,
      tolerations: to.tolerations ?? null,
      affinity: { nodeAffinity: to.nodeAffinity ?? null },
    },
  };
}
