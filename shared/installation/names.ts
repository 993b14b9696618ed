import type { JsonObject } from '#shared/domain/objects.ts';
import type { DeclaredProcess } from './declared-process.ts';

/** Where Millrace is installed unless somebody says otherwise. */
export const defaultNamespace = 'millrace';

/** Secrets by what is in them; `credentials` makes those that nobody else makes. */
export const secrets = {
  /** `key`: signs deliveries and seals views. */
  delivery: 'millrace-delivery',
  /** `token`: the first part of the path by which the API server asks for reviews; several, separated by blanks, are taken. */
  reviews: 'millrace-reviews',
  /**
   * `NAME-url`: of Redis, with user and password of one process. `url`: of those that have none of their own.
   * `ca.crt`: authorities that its certificate may come from. For the Redis that comes along also
   * `NAME-sha256`, of the password, and `cluster`, the uid whose keys the users may touch.
   */
  redis: 'millrace-redis',
} as const;

export const reviewTokenKey = 'token';

/** Where the key is found in a Pod. */
export const deliveryKeyFile = '/etc/millrace/delivery/key';

/** Of the Redis that comes along: its Deployment, its Service, and what its certificate is named after. */
export const redisName = 'redis';

/** The keys of {@link secrets.redis}. */
export const redisKeys = {
  url: 'url',
  authorities: 'ca.crt',
  cluster: 'cluster',
  urlOf: (process: string) => `${process}-url`,
  hashOf: (process: string) => `${process}-sha256`,
} as const;

/** Name of the Secret with `tls.crt` and `tls.key` of a process that the API server calls. */
export function certificateSecret(process: string): string {
  return `${process}-tls`;
}

/** A Service beside that of the process: a Knative Service takes the name of the process for its own. */
export function webhookService(process: string): string {
  return `${process}-webhook`;
}

/** Name of the webhook configurations of a process. */
export function webhookConfigurationName(process: string): string {
  return `millrace-${process}`;
}

export const partOf = { 'app.kubernetes.io/part-of': 'millrace' } as const;

/** Of every Pod of one part, for network policies. */
export const partLabel = 'millrace.dev/part';

/** What the Pods of a process are selected by. */
export function selectorOf(process: string) {
  return { ...partOf, 'app.kubernetes.io/component': process };
}

export function labelsOf({ name, part }: Pick<DeclaredProcess, 'name' | 'part'>) {
  return { 'app.kubernetes.io/name': name, ...selectorOf(name), [partLabel]: part };
}

export function manifest(
  apiVersion: string,
  kind: string,
  metadata: JsonObject,
  content: JsonObject = {},
): JsonObject {
  return { apiVersion, kind, metadata, ...content };
}
