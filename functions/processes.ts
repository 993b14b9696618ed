/**
 * Every process that is installed, as it declares itself. Manifests, roles, the reference and what the
 * command line installs derive from this list; a new function joins it by functions/list.ts, a new
 * admission by one entry here.
 */
import type { Product } from '#shared/installation/installation.ts';
import type { DeclaredProcess } from '#shared/installation/declared-process.ts';
import { defaultPolicy } from '#shared/policy/pod-policy.ts';
import { reviewGrants } from '#shared/runtime/admission/review-journal.ts';
import { functionConfiguration } from '#shared/runtime/function/function-configuration.ts';
import { functionGrants } from '#shared/runtime/function/redis-grants.ts';
import { systemClock } from '#shared/runtime/process/system-clock.ts';
import { configuration as bridgeConfiguration } from './bridge/configuration.ts';
import { bridgeGrants } from './bridge/redis-grants.ts';
import { bridgeAccess } from './bridge/watch-set.ts';
import { credentialsAccess } from './credentials/access.ts';
import { credentialsConfiguration } from './credentials/configuration.ts';
import { dispatcherAccess } from './dispatcher/access.ts';
import { dispatcherConfiguration, urlVariable } from './dispatcher/configuration.ts';
import { dispatcherGrants } from './dispatcher/redis-grants.ts';
import { flowAdmissionAccess } from './flow-admission/access.ts';
import { flowAdmissions } from './flow-admission/admissions.ts';
import { flowAdmissionConfiguration } from './flow-admission/configuration.ts';
import { kinds, subscriptions } from './list.ts';
import { suspendAdmissionAccess } from './suspend-admission/access.ts';
import { suspendAdmissions } from './suspend-admission/admissions.ts';
import { suspendAdmissionConfiguration } from './suspend-admission/configuration.ts';
import { PolicyBook } from './suspend-admission/policy-book.ts';

const functionNames = subscriptions.map(({ name }) => name);

const admissionProcesses: readonly DeclaredProcess[] = [
  {
    name: 'flow-admission',
    part: 'admission',
    access: flowAdmissionAccess,
    redis: reviewGrants,
    configuration: flowAdmissionConfiguration,
    admissions: flowAdmissions(defaultPolicy),
  },
  {
    name: 'suspend-admission',
    part: 'admission',
    access: suspendAdmissionAccess,
    redis: reviewGrants,
    configuration: suspendAdmissionConfiguration,
    admissions: suspendAdmissions({ policies: new PolicyBook(), clock: systemClock }),
  },
];

export const processes: readonly DeclaredProcess[] = [
  {
    name: 'bridge',
    part: 'worker',
    access: bridgeAccess(subscriptions),
    redis: bridgeGrants(functionNames),
    configuration: bridgeConfiguration,
  },
  {
    name: 'dispatcher',
    part: 'worker',
    access: dispatcherAccess,
    redis: dispatcherGrants(functionNames),
    configuration: dispatcherConfiguration(functionNames),
  },
  ...subscriptions.map(({ name, access, decides, watches }): DeclaredProcess => ({
    ...{ name, part: 'function', access, redis: functionGrants, decides },
    wokenBy: watches.flatMap(({ resource, leadsTo, only }) =>
      typeof leadsTo === 'function' ? [] : [{ resource, isChild: only === 'children' }],
    ),
    configuration: functionConfiguration,
  })),
  ...admissionProcesses,
  {
    name: 'credentials',
    part: 'keeper',
    access: credentialsAccess(admissionProcesses.map(({ name }) => name)),
    configuration: credentialsConfiguration,
  },
];

export const product: Product = { kinds, processes, urlVariableOf: urlVariable };
