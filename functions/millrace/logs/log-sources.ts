/** Finds the Pods of an object, and their names in the output. A kind is added by a line of the table. */
import { labels } from '#shared/domain/labels.ts';
import { fieldsOf, listOf, textOf } from '#shared/domain/json-value.ts';
import type { KubeObject, Resource } from '#shared/domain/objects.ts';
import { ownMember } from '#shared/domain/own-member.ts';
import { resources } from '#shared/domain/resources.ts';
import { wrapperLabels } from '#shared/domain/wrapper-keys.ts';
import { componentNames } from '../component-names.ts';
import { requirePart } from '../require-part.ts';

export interface LoggedKind {
  readonly resource: Resource;
  /** Label selector of its Pods. */
  readonly selector: (object: KubeObject) => string;
  /** The part of the object that its Pod belongs to. Empty: the object has no parts. */
  readonly partOf: (pod: KubeObject, object: KubeObject) => string;
  /** All its parts, even without Pods. Absent: they are known only from its Pods. */
  readonly partsIn?: (object: KubeObject) => readonly string[];
  /** Kinds that are its parts and have Jobs of their own. Their Pods have only their labels. */
  readonly wraps?: readonly Resource[];
}

/** Throws CommandFailure if the object has parts that are known, and this is none of them. */
export function requireKnownPart(
  { resource, partsIn }: LoggedKind,
  object: KubeObject,
  part: string | undefined,
): void {
  if (part === undefined || partsIn === undefined) return;
  requirePart({ kind: resource.kind, name: object.metadata.name }, part, partsIn(object));
}

const labelOf =
  (label: string) =>
  ({ metadata }: KubeObject): string =>
    ownMember(metadata.labels, label) ?? '';

export const loggedKinds: readonly LoggedKind[] = [
  {
    resource: resources.JobFlow,
    selector: ({ metadata }) => `${labels.ownerUid}=${metadata.uid}`,
    partOf: labelOf(labels.step),
    partsIn: ({ spec }) =>
      listOf(fieldsOf(spec)['flows']).map((step) => textOf(fieldsOf(step)['name'])),
  },
  {
    resource: resources.DaemonJob,
    selector: ({ metadata }) => `${labels.ownerUid}=${metadata.uid}`,
    partOf: ({ spec }) => textOf(fieldsOf(spec)['nodeName']),
  },
  {
    resource: resources.AppWrapper,
    selector: ({ metadata }) => `${wrapperLabels.wrapper}=${metadata.name}`,
    partOf: (pod, wrapper) => {
      const component = labelOf(labels.component)(pod);
      return component === '' ? '' : (componentNames(wrapper)[Number(component)] ?? component);
    },
    partsIn: componentNames,
    wraps: [resources.JobFlow, resources.DaemonJob],
  },
  {
    resource: resources.Job,
    selector: ({ metadata }) => `batch.kubernetes.io/controller-uid=${metadata.uid}`,
    partOf: () => '',
  },
];
