/** The sources of an explanation: the cluster, and the queue if it is reachable. */
import {
  type KubeObject,
  type ObjectMeta,
  type Resource,
  resourceKey,
} from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { ownMember } from '#shared/domain/own-member.ts';
import { MillraceError } from '#shared/domain/errors.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import type { FunctionQueue } from '../up/queue-report.ts';
import { shellWord } from '../terminal/shell-word.ts';
import type { Named } from './explanation.ts';

export interface Surroundings {
  readonly client: Pick<KubeClient, 'get' | 'list'>;
  /** The kubectl command for this cluster. */
  readonly kubectl: string;
  /** The command that called Millrace. Default: `millrace`. */
  readonly program?: string;
  /** Options for another Millrace command for this cluster. */
  readonly options: string;
  /** The same for a command that reads queue or journal. */
  readonly queueOptions: string;
  /** Absent: no queue is reachable. */
  readonly queue?: readonly FunctionQueue[];
}

/** `kubectl -n NAMESPACE ...`. */
export function kubectl(
  { kubectl: call }: Pick<Surroundings, 'kubectl'>,
  namespace: string,
  rest: string,
): string {
  return `${call}${namespace === '' ? '' : ` -n ${namespace}`} ${rest}`;
}

/** Kueue evicts an inactive Workload and keeps it out. */
export function switchWorkload(
  around: Pick<Surroundings, 'kubectl'>,
  { namespace = '', name }: Pick<ObjectMeta, 'namespace' | 'name'>,
  active: boolean,
): string {
  const patch = `--type merge -p '{"spec":{"active":${active}}}'`;
  return kubectl(around, namespace, `patch workloads.kueue.x-k8s.io ${shellWord(name)} ${patch}`);
}

export function describe(around: Surroundings, { kind, namespace, name }: Named): string {
  return kubectl(around, namespace, `describe ${typeOf(kind)} ${shellWord(name)}`);
}

/** kubectl's name of the kind, with its group, because foreign kinds may have the same plural. */
export function typeOf(kind: string): string {
  const known = ownMember(resources as Readonly<Record<string, Resource>>, kind);
  return known === undefined ? kind.toLowerCase() : resourceKey(known);
}

/** `millrace ...` for this cluster. */
export function millrace(
  { program = 'millrace', options: usual }: Pick<Surroundings, 'program' | 'options'>,
  rest: string,
  options = usual,
): string {
  return [program, rest, options].filter((text) => text !== '').join(' ');
}

/** Objects of one namespace, or of all. Empty if the API server does not serve the kind. */
export async function listed(
  { client }: Pick<Surroundings, 'client'>,
  resource: Resource,
  namespace?: string,
  selectors: { readonly labelSelector?: string; readonly fieldSelector?: string } = {},
): Promise<readonly KubeObject[]> {
  try {
    const where = namespace === undefined || !resource.namespaced ? {} : { namespace };
    const { items } = await client.list(resource, { ...where, ...selectors });
    return items;
  } catch (error) {
    if (error instanceof MillraceError && error.code === 'MR_API_NOT_FOUND') return [];
    throw error;
  }
}
