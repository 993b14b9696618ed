/**
 * One rule on Pods, and how rules read a Job. A template may contain anything, so no shape is assumed; the API
 * server refuses a wrong one.
 */
import { listOf } from '#shared/domain/json-value.ts';
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import { lists, memberOf, textOf } from './json-members.ts';
import type { PodProfile } from './pod-profile.ts';

/** One part of a Job that a rule is about. */
export interface Use {
  /** From the spec of the Job. */
  readonly path: string;
  /** A setting can except this: a capability, a path, a name. */
  readonly value: string;
  /** The value, why it is refused, and what to write instead. */
  readonly message: string;
}

export interface PodRule {
  readonly name: string;
  /** The lowest profile with this rule. Absent: every profile, because it is not a Pod Security control. */
  readonly since?: Exclude<PodProfile, 'privileged'>;
  /** The rule's subject, for the reference page. */
  readonly says: string;
  /** The meaning of a value, for the reference page. */
  readonly values: string;
  /** Some rules are narrower under restricted. */
  readonly uses: (job: JsonObject, profile: PodProfile) => readonly Use[];
}

/** The value of a required field that is absent. */
export const unset = 'unset';

export const podAt = 'template.spec';

export function podOf(job: JsonObject): JsonObject {
  return memberOf(memberOf(job, 'template'), 'spec');
}

export function use(path: string, value: string, message: string): Use {
  return { path, value, message };
}

/** The uses in every container of the Pod, of each kind. */
export function ofContainers(
  job: JsonObject,
  uses: (container: JsonObject, at: string) => readonly Use[],
): readonly Use[] {
  return ['initContainers', 'containers', 'ephemeralContainers'].flatMap((name) =>
    lists(podOf(job), name).flatMap(([container, index]) =>
      uses(container, `${podAt}.${name}[${index}]`),
    ),
  );
}

/** The uses of the securityContext of the Pod, then of those of its containers. */
export function ofSecurityContexts(
  job: JsonObject,
  uses: (context: JsonObject, at: string) => readonly Use[],
): readonly Use[] {
  const of = (holder: JsonObject, at: string): readonly Use[] =>
    uses(memberOf(holder, 'securityContext'), `${at}.securityContext`);
  return [...of(podOf(job), podAt), ...ofContainers(job, of)];
}

/** The uses of a text that is present and not empty. */
export function given(
  holder: JsonObject,
  name: string,
  uses: (value: string) => readonly Use[],
): readonly Use[] {
  const value = textOf(holder, name);
  return value === '' ? [] : uses(value);
}

/** The texts of a list. */
export function texts(value: Json | undefined): readonly string[] {
  return listOf(value).filter((item) => typeof item === 'string');
}

/** The API server refuses Linux fields in such a Pod, so they cannot be used. */
export function isWindows(job: JsonObject): boolean {
  return textOf(memberOf(podOf(job), 'os'), 'name') === 'windows';
}

/** In a user namespace, the Pod's root is an ordinary user of its node (KEP-127). */
export function hasUserNamespace(job: JsonObject): boolean {
  return podOf(job)['hostUsers'] === false;
}
