import type { JsonObject } from '#shared/domain/objects.ts';
import type { DeclaredProcess } from './declared-process.ts';

/** The default namespace of Millrace. */
export const defaultNamespace = 'millrace';

/** Names of Secrets; `credentials` creates those that no other tool creates. */
export const secrets = {
  /** `key`: signs deliveries and seals views. */
  delivery: 'millrace-delivery',
  /**
   * `token`: the first part of the path for the API server's reviews. Several tokens, separated by blanks, are
   * accepted.
   */
  reviews: 'millrace-reviews',
  /**
   * `NAME-url`: of Redis, with user and password of one process. `url`: for processes without one of their own.
   * `ca.crt`: authorities of its certificate. For the included Redis also `NAME-sha256`, of the password, and
   * `cluster`, the uid whose keys the users may access.
   */
  redis: 'millrace-redis',
} as const;

export const reviewTokenKey = 'token';

/** Path of the key in a Pod. */
export const deliveryKeyFile = '/etc/millrace/delivery/key';

/** For the included Redis: its Deployment, its Service and its certificate. */
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

/** A second Service, because a Knative Service uses the name of the process for its own. */
export function webhookService(process: string): string {
  return `${process}-webhook`;
}

/** Name of the webhook configurations of a process. */
export function webhookConfigurationName(process: string): string {
  return `millrace-${process}`;
}

export const partOf = { 'app.kubernetes.io/part-of': 'millrace' } as const;

/** On every Pod of one part, for network policies. */
export const partLabel = 'millrace.dev/part';

/** The labels that select the Pods of a process. */
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
