import type { AccessRule } from '#shared/domain/access-rule.ts';
import { resources } from '#shared/domain/resources.ts';

/**
 * The dispatcher reads only which cluster it works for, and not even that if MILLRACE_CLUSTER_UID is set.
 *
 * @contract deploy/generate.ts finds it here and renders the dispatcher's Role from it.
 */
export const dispatcherAccess: readonly AccessRule[] = [
  { resource: resources.Namespace, names: ['kube-system'], verbs: ['get'] },
];
