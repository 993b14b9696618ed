/** The event that a function receives for a due object. */
import {
  asEventId,
  controllerOf,
  type ObjectKey,
  objectName,
  type Resource,
} from '#shared/domain/objects.ts';
import type { CloudEvent } from '#shared/events/cloud-event.ts';
import { dueEvent } from '#shared/events/due-event.ts';
import { directTargets, selfKey } from '#shared/subscription/route.ts';
import type { Subscription } from '#shared/subscription/subscription.ts';
import { CommandFailure, exitCodes } from '../command-failure.ts';
import { findOne } from '../find-named.ts';
import type { OpenedCluster } from '../open-cluster.ts';

interface Nameable {
  readonly resource: Resource;
  /** The object is a child, and the function decides about its controller. */
  readonly isChild: boolean;
}

/**
 * The event for the current object of this name, or for the controller of a child. Its cause is the current version,
 * in the bridge's format. Throws CommandFailure.
 */
export async function sampleEvent(
  subscription: Subscription,
  what: string,
  cluster: OpenedCluster,
): Promise<{ readonly event: CloudEvent; readonly key: ObjectKey }> {
  const { decides, name } = subscription;
  const { kind, object } = await findOne(what, nameable(subscription), cluster);
  const { resource, isChild } = kind;
  const { metadata } = object;
  const owner = controllerOf(metadata);
  const { apiVersion } = object;
  const named = { ...objectName(metadata), apiVersion, kind: resource.kind, uid: metadata.uid };
  const [key] = isChild
    ? directTargets(subscription, { leadsTo: 'controller' }, { ...named, ...(owner && { owner }) })
    : [selfKey(named)];
  if (key === undefined) {
    const kinds = decides.map((each) => each.kind).join(' or ');
    throw new CommandFailure(
      exitCodes.invalidInput,
      `${what} is none of the objects of ${name}: no ${kinds} controls it`,
      `name a ${kinds}`,
    );
  }
  const cause = asEventId(`${metadata.uid}.${metadata.resourceVersion}`);
  return { event: dueEvent({ function: name, key, cause }, 'invoke', decides), key };
}

function nameable({ decides, watches }: Subscription): readonly Nameable[] {
  const children = watches.filter(({ leadsTo }) => leadsTo === 'controller');
  return [
    ...decides.map((resource) => ({ resource, isChild: false })),
    ...children.map(({ resource }) => ({ resource, isChild: true })),
  ];
}
