/** Which function looks at which object when an event arrives. Triggers are rendered from this table. */
import type { EventReference } from './event.ts';
import type { ObjectKey } from '#shared/domain/objects.ts';
import { apiVersionOf } from '#shared/domain/objects.ts';
import { resources, type ResourceKind } from '#shared/domain/resources.ts';
import type { WorkItem } from '#shared/domain/work-item.ts';

export const functionNames = ['flow-advance'] as const;
export type FunctionName = (typeof functionNames)[number];

/** How an event's object leads to the object that the function decides about. */
export type RouteTarget =
  /** The object itself. */
  | 'self'
  /** The controller owner of this kind. */
  | 'controller'
  /** Every object of this kind that refers to it or owns its owner; found by the bridge's index. */
  | 'referrers';

export interface Route {
  readonly function: FunctionName;
  readonly on: ResourceKind;
  readonly target: RouteTarget;
  /** The kind the function decides about. */
  readonly decides: ResourceKind;
}

export const routes: readonly Route[] = [
  { function: 'flow-advance', on: 'JobFlow', target: 'self', decides: 'JobFlow' },
  { function: 'flow-advance', on: 'Job', target: 'controller', decides: 'JobFlow' },
  { function: 'flow-advance', on: 'JobTemplate', target: 'referrers', decides: 'JobFlow' },
  { function: 'flow-advance', on: 'Pod', target: 'referrers', decides: 'JobFlow' },
];

/**
 * Objects that refer to the event's object by name, or that control its controller; answered from the
 * bridge's cache.
 */
export type FindReferrers = (
  event: EventReference,
  referring: ResourceKind,
) => readonly ObjectKey[];

/** Pure: the work items that an event asks for, in the order of the table. */
export function route(event: EventReference, findReferrers: FindReferrers): readonly WorkItem[] {
  return routes
    .filter((entry) => resources[entry.on].kind === event.kind)
    .flatMap((entry) =>
      targetsOf(entry, event, findReferrers).map((key) => workItem(entry.function, key, event)),
    );
}

function targetsOf(
  entry: Route,
  event: EventReference,
  findReferrers: FindReferrers,
): readonly ObjectKey[] {
  switch (entry.target) {
    case 'self':
      return [
        {
          apiVersion: event.apiVersion,
          kind: event.kind,
          namespace: event.namespace,
          name: event.name,
          uid: event.uid,
        },
      ];
    case 'controller':
      return controllerKey(entry, event);
    case 'referrers':
      return findReferrers(event, entry.decides);
  }
}

function controllerKey(entry: Route, event: EventReference): readonly ObjectKey[] {
  const decides = resources[entry.decides];
  const owner = event.owner;
  if (owner?.kind !== decides.kind || owner.apiVersion !== apiVersionOf(decides)) return [];
  return [
    {
      apiVersion: owner.apiVersion,
      kind: owner.kind,
      namespace: event.namespace,
      name: owner.name,
      uid: owner.uid,
    },
  ];
}

function workItem(name: FunctionName, key: ObjectKey, event: EventReference): WorkItem {
  return {
    function: name,
    key,
    cause: event.id,
    ...(event.traceparent === undefined ? {} : { traceparent: event.traceparent }),
  };
}
