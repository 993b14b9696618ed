/**
 * Admission plugin ServiceAccount (plugin/pkg/admission/serviceaccount): the account of a Pod must exist in its
 * namespace. No token is mounted, because nothing here would accept one.
 */
import { StatusError } from '../../apimachinery/status-error.ts';
import type { Draft } from '../draft.ts';
import type { World } from '../world.ts';
import type { PodSpec } from './pod-template-defaults.ts';

const accounts = { group: '', plural: 'serviceaccounts' };

interface Account extends Draft {
  readonly imagePullSecrets?: readonly object[];
}

/** Throws StatusError 403 for an account that does not exist. */
export function withServiceAccount(object: Draft, { store }: World): Draft {
  const spec = (object.spec ?? {}) as PodSpec;
  const { namespace = '' } = object.metadata;
  const { serviceAccountName: asked = '' } = spec as { readonly serviceAccountName?: string };
  const name = asked === '' ? 'default' : asked;
  const account = store.get(accounts, namespace, name) as Account | undefined;
  if (account === undefined) {
    const why = `error looking up service account ${namespace}/${name}: serviceaccount "${name}" not found`;
    throw podForbidden(object, why);
  }
  const own = (spec['imagePullSecrets'] ?? []) as readonly object[];
  const { imagePullSecrets = [] } = account;
  return {
    ...object,
    spec: {
      ...spec,
      serviceAccountName: name,
      serviceAccount: name,
      ...(own.length > 0 || imagePullSecrets.length === 0 ? {} : { imagePullSecrets }),
    },
  };
}

/** If the API server is to generate the name, the message has the part that the client sent. */
export function podForbidden({ metadata }: Draft, why: string): StatusError {
  const name = metadata.generateName ?? metadata.name;
  return new StatusError(403, 'Forbidden', `pods "${name}" is forbidden: ${why}`, {
    name,
    kind: 'pods',
  });
}
