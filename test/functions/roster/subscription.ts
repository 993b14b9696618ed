import { apiVersionOf, type KubeObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { stripMetadata } from '#shared/domain/strip-metadata.ts';
import type { Index, Subscription } from '#shared/subscription/subscription.ts';
import { ConfigMap, Roster, rosterKind } from './roster-kind.ts';

/** A node wakes every Roster. */
const everyRoster: Index = (seen) => () =>
  [...seen.list(Roster)].map(({ metadata: { name, namespace = '', uid } }) => {
    return { apiVersion: apiVersionOf(Roster), kind: Roster.kind, namespace, name, uid };
  });

const nameOnly = ({ apiVersion, kind, metadata }: KubeObject): KubeObject => {
  const { name, uid, resourceVersion } = metadata;
  return { apiVersion, kind, metadata: { name, uid, resourceVersion } };
};

export const subscription: Subscription = {
  name: 'roster-keeper',
  decides: [Roster],
  kinds: [rosterKind],
  watches: [
    {
      resource: Roster,
      leadsTo: 'self',
      fingerprint: ({ metadata }) => metadata.generation ?? 0,
      keep: stripMetadata,
    },
    {
      resource: ConfigMap,
      only: 'children',
      leadsTo: 'controller',
      fingerprint: ({ metadata }) => metadata.resourceVersion,
      keep: stripMetadata,
    },
    // Depends on the node's existence only, so heartbeats wake nothing.
    { resource: resources.Node, leadsTo: everyRoster, fingerprint: () => '', keep: nameOnly },
  ],
  isUnfinished: ({ status }) => status === undefined,
  access: [
    { resource: Roster, verbs: ['get'] },
    { resource: Roster, subresource: 'status', verbs: ['patch'] },
    { resource: ConfigMap, verbs: ['get', 'list', 'create', 'patch'] },
    { resource: resources.Node, verbs: ['list'] },
  ],
};
