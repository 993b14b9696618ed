/**
 * Conditions of a terminating namespace about its content (pkg/controller/namespace/deletion
 * status_condition_utils.go).
 */
import { rfc3339 } from '#shared/domain/time.ts';

export interface NamespaceCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
}

/** Remaining objects by resource (`configmaps.`, `jobs.batch`), and by finalizer. */
export interface Remaining {
  readonly resources: ReadonlyMap<string, number>;
  readonly finalizers: ReadonlyMap<string, number>;
}

type Outcome = Omit<NamespaceCondition, 'lastTransitionTime'>;

/** Returns `before` itself when nothing has changed. */
export function namespaceConditions(
  before: readonly NamespaceCondition[],
  remaining: Remaining,
  nowMs: number,
): readonly NamespaceCondition[] {
  const next = outcomes(remaining).map((outcome) => {
    const known = before.find(({ type }) => type === outcome.type);
    if (known !== undefined && isSame(known, outcome)) return known;
    return { ...outcome, lastTransitionTime: rfc3339(nowMs) };
  });
  return next.every((condition) => before.includes(condition)) ? before : next;
}

function isSame(known: NamespaceCondition, outcome: Outcome): boolean {
  return (
    known.status === outcome.status &&
    known.reason === outcome.reason &&
    known.message === outcome.message
  );
}

function outcomes({ resources, finalizers }: Remaining): readonly Outcome[] {
  return [
    isFalse(
      'NamespaceDeletionDiscoveryFailure',
      'ResourcesDiscovered',
      'All resources successfully discovered',
    ),
    isFalse(
      'NamespaceDeletionGroupVersionParsingFailure',
      'ParsedGroupVersions',
      'All legacy kube types successfully parsed',
    ),
    isFalse(
      'NamespaceDeletionContentFailure',
      'ContentDeleted',
      'All content successfully deleted, may be waiting on finalization',
    ),
    resources.size === 0
      ? isFalse('NamespaceContentRemaining', 'ContentRemoved', 'All content successfully removed')
      : {
          type: 'NamespaceContentRemaining',
          status: 'True',
          reason: 'SomeResourcesRemain',
          message: `Some resources are remaining: ${counted(resources, 'has', 'resource instances')}`,
        },
    finalizers.size === 0
      ? isFalse(
          'NamespaceFinalizersRemaining',
          'ContentHasNoFinalizers',
          'All content-preserving finalizers finished',
        )
      : {
          type: 'NamespaceFinalizersRemaining',
          status: 'True',
          reason: 'SomeFinalizersRemain',
          message: `Some content in the namespace has finalizers remaining: ${counted(finalizers, 'in', 'resource instances')}`,
        },
  ];
}

function isFalse(type: string, reason: string, message: string): Outcome {
  return { type, status: 'False', reason, message };
}

function counted(counts: ReadonlyMap<string, number>, verb: string, what: string): string {
  return [...counts]
    .map(([name, count]) => `${name} ${verb} ${count} ${what}`)
    .sort()
    .join(', ');
}
