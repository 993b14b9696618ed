/** flow-advance: moves a JobFlow on whenever it, one of its Jobs or a JobTemplate of it changes. */
import type { EventFunction } from '#shared/runtime/event-function.ts';
import { decide } from './decide.ts';
import { observe } from './observe.ts';
import { withRejections, withWarnings, type FlowSnapshot } from './snapshot.ts';

export const flowAdvance: EventFunction<FlowSnapshot> = {
  name: 'flow-advance',
  decides: 'JobFlow',
  access: [
    { resource: 'JobFlow', verbs: ['get', 'delete'] },
    { resource: 'JobFlow', subresource: 'status', verbs: ['patch'] },
    // blockOwnerDeletion in an owner reference asks for it (OwnerReferencesPermissionEnforcement).
    { resource: 'JobFlow', subresource: 'finalizers', verbs: ['update'] },
    { resource: 'JobTemplate', verbs: ['get'] },
    { resource: 'Job', verbs: ['get', 'list', 'create', 'patch', 'delete'] },
    { resource: 'Pod', verbs: ['list'] },
    { resource: 'Event', verbs: ['create'] },
    // Its uid names the cluster, and so the journal.
    { resource: 'Namespace', names: ['kube-system'], verbs: ['get'] },
  ],
  observe,
  decide,
  withRejections,
  withWarnings,
};
