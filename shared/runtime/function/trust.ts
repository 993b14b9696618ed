/**
 * Nothing is created without the permission of a user. A missing record is no permission: no user's rights could be
 * checked, and the object would run by Millrace's rights.
 *
 * trust-1 No admission judged an object in an exempt namespace: it creates nothing.
 * trust-2 An object without a named submitter creates nothing, and neither does a JobTemplate. The operator can
 *    lift this by trusting every user who may write such objects in a namespace.
 * trust-3 Both are handled like refusals by the API server: the function decides once more, reports it on the
 *    object, and asks again later.
 */
import { exemptNamespaces, type Residence } from '#shared/domain/exempt-namespaces.ts';
import { annotations } from '#shared/domain/labels.ts';
import type { CreateOperation, Plan } from '#shared/domain/plan.ts';
import type { Rejection } from '#shared/domain/rejection.ts';
import type { RecordedSubmitter } from '#shared/domain/submitter.ts';
import type { TemplateOrigin, TemplateOrigins } from './event-function.ts';

export interface Trust {
  /** `submitters`: only recorded users. `namespaces`: every user who may write there. */
  readonly in: 'submitters' | 'namespaces';
  /** Nothing is created there. */
  readonly exemptNamespaces: readonly string[];
}

export interface TrustSettings extends Residence {
  /** Whether every user who may write Millrace's objects in a namespace is trusted there. */
  readonly trustNamespaces: boolean;
}

export function trustBy({ trustNamespaces, ...residence }: TrustSettings): Trust {
  return {
    in: trustNamespaces ? 'namespaces' : 'submitters',
    exemptNamespaces: exemptNamespaces(residence),
  };
}

/** One for each create without an accountable user. Empty if rights can be checked for all. */
export function untrustedCreates(
  trust: Trust,
  submitter: RecordedSubmitter | undefined,
  plan: Plan,
  originOf: TemplateOrigins = () => undefined,
): readonly Rejection[] {
  const creates = plan.flat().filter((operation) => operation.kind === 'create');
  return creates.flatMap((create) => {
    const why = whyNot(trust, submitter, create) ?? whyNotFrom(originOf(create), trust);
    return why === undefined ? [] : [{ name: create.object.metadata.name, ...why }];
  });
}

function whyNot(
  trust: Trust,
  submitter: RecordedSubmitter | undefined,
  { object }: CreateOperation,
): Pick<Rejection, 'code' | 'message'> | undefined {
  const { namespace = '' } = object.metadata;
  if (trust.exemptNamespaces.includes(namespace)) {
    return { code: 'ExemptNamespace', message: exemptWords(namespace) };
  }
  if (submitter === 'unknown') return { code: 'SubmitterUnknown', message: unreadable };
  if (submitter === undefined && trust.in === 'submitters') {
    return { code: 'SubmitterUnknown', message: missing };
  }
  return undefined;
}

function whyNotFrom(
  origin: TemplateOrigin | undefined,
  trust: Trust,
): Pick<Rejection, 'code' | 'message'> | undefined {
  if (origin === undefined) return undefined;
  const { name, submitter } = origin;
  const isTrusted = submitter === undefined && trust.in === 'namespaces';
  if (isTrusted || (submitter !== undefined && submitter !== 'unknown')) return undefined;
  const message =
    `the JobTemplate "${name}" was last changed by an unknown user: its annotation ${annotations.submitter} ` +
    'is missing or names no user; change its spec, or delete it and create it again, while the webhooks of ' +
    'flow-admission work';
  return { code: 'SubmitterUnknown', message };
}

function exemptWords(namespace: string): string {
  return (
    `Millrace runs nothing in the namespace ${namespace}, which no webhook of it reviews; ` +
    'create the object in another namespace'
  );
}

const createAnew =
  'delete the object and create it again while the webhooks of flow-admission work';
const missing =
  `the annotation ${annotations.submitter} is missing, so the rights of its submitter cannot be checked; ` +
  `${createAnew}, or start Millrace with --no-webhooks (MILLRACE_TRUST_NAMESPACES=true), ` +
  'which trusts every user who may write such objects in the namespace';
const unreadable = `the annotation ${annotations.submitter} names no user; ${createAnew}`;
