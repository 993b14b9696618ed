/**
 * Every installed process, as it declares itself. Manifests, roles, the reference and the installation by
 * the command line derive from this list. Functions come from functions/list.ts, admissions from
 * functions/admissions.ts.
 */
import type { Product } from '#shared/installation/installation.ts';
import type { DeclaredProcess } from '#shared/installation/declared-process.ts';
import { reviewGrants } from '#shared/runtime/admission/review-journal.ts';
import { configurationOf } from '#shared/runtime/function/function-configuration.ts';
import { functionGrants } from '#shared/runtime/function/redis-grants.ts';
import { admissionProcesses } from './admissions.ts';
import { configuration as bridgeConfiguration } from './bridge/configuration.ts';
import { bridgeGrants } from './bridge/redis-grants.ts';
import { bridgeAccess } from './bridge/watch-set.ts';
import { credentialsAccess } from './credentials/access.ts';
import { credentialsConfiguration } from './credentials/configuration.ts';
import { dispatcherAccess } from './dispatcher/access.ts';
import { dispatcherConfiguration, urlVariable } from './dispatcher/configuration.ts';
import { dispatcherGrants } from './dispatcher/redis-grants.ts';
import { functions, kinds, subscriptions } from './list.ts';

const functionNames = subscriptions.map(({ name }) => name);

const answering = admissionProcesses.map(
  ({ name, admissions, access, schema }): DeclaredProcess => ({
    ...{ name, admissions, access },
    part: 'admission',
    redis: reviewGrants,
    configuration: schema,
  }),
);

export const processes: readonly DeclaredProcess[] = [
  {
    name: 'bridge',
    part: 'worker',
    access: bridgeAccess(subscriptions),
    ...(subscriptions.some(({ follows }) => follows !== undefined)
      ? { isAllowedWrapped: true }
      : {}),
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
  ...functions.map((fn): DeclaredProcess => {
    const { name, access, decides, watches, follows } = fn.subscription;
    return {
      ...{ name, part: 'function', access, redis: functionGrants, decides },
      ...(follows === undefined ? {} : { isAllowedWrapped: true }),
      wokenBy: watches.some(({ neededBy }) => neededBy !== undefined)
        ? // A source of Knative fails on what is not installed: the bridge alone wakes it.
          []
        : watches.flatMap(({ resource, leadsTo, only }) =>
            typeof leadsTo === 'function' ? [] : [{ resource, isChild: only === 'children' }],
          ),
      configuration: configurationOf(fn),
    };
  }),
  ...answering,
  {
    name: 'credentials',
    part: 'keeper',
    access: credentialsAccess(answering.map(({ name }) => name)),
    configuration: credentialsConfiguration,
  },
];

export const product: Product = { kinds, processes, urlVariableOf: urlVariable };
