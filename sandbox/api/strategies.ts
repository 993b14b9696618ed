/** The strategy of each kind. */
import { typeKey, type ResourceType } from '../registry/resource-type.ts';
import { admissionPolicy, admissionPolicyBinding } from './kinds/admission-policy.ts';
import { customWithStatus, custom } from './kinds/custom.ts';
import { definition } from './kinds/definition.ts';
import { event } from './kinds/event.ts';
import { job } from './kinds/job.ts';
import { limitRange, resourceQuota } from './kinds/quota.ts';
import { namespace } from './kinds/namespace.ts';
import { node } from './kinds/node.ts';
import { claim } from './kinds/claim.ts';
import { configMap, secret } from './kinds/config.ts';
import { lease } from './kinds/lease.ts';
import { role, roleBinding } from './kinds/rbac.ts';
import { serviceAccount } from './kinds/simple.ts';
import { pod } from './kinds/pod.ts';
import { priorityClass } from './kinds/priority-class.ts';
import { service } from './kinds/service.ts';
import { webhookConfiguration } from './kinds/webhook-configuration.ts';
import { plain, type Strategy } from './strategy.ts';
import { hasStatus } from './world.ts';

const builtIn: Readonly<Record<string, Strategy>> = {
  '/namespaces': namespace,
  '/nodes': node,
  '/pods': pod,
  '/configmaps': configMap,
  '/secrets': secret,
  '/services': service,
  '/serviceaccounts': serviceAccount,
  '/persistentvolumeclaims': claim,
  '/resourcequotas': resourceQuota,
  '/limitranges': limitRange,
  '/events': event,
  'events.k8s.io/events': event,
  'batch/jobs': job,
  'coordination.k8s.io/leases': lease,
  'scheduling.k8s.io/priorityclasses': priorityClass,
  'rbac.authorization.k8s.io/roles': role,
  'rbac.authorization.k8s.io/rolebindings': roleBinding,
  'rbac.authorization.k8s.io/clusterroles': role,
  'rbac.authorization.k8s.io/clusterrolebindings': roleBinding,
  'admissionregistration.k8s.io/validatingadmissionpolicies': admissionPolicy,
  'admissionregistration.k8s.io/validatingadmissionpolicybindings': admissionPolicyBinding,
  'admissionregistration.k8s.io/validatingwebhookconfigurations': webhookConfiguration,
  'admissionregistration.k8s.io/mutatingwebhookconfigurations': webhookConfiguration,
  'apiextensions.k8s.io/customresourcedefinitions': definition,
};

export function strategyOf(type: ResourceType): Strategy {
  if (!type.isBuiltIn) return hasStatus(type) ? customWithStatus : custom;
  return builtIn[typeKey(type)] ?? plain;
}
