/**
 * The rules by which admission judges a kind whose objects make Jobs. Everything else is the same for
 * all kinds: rights, policy, and the API server's answer.
 *
 * Validation runs after the API server has checked schema and policies. Mutation runs before that, so
 * `hints` must accept any content.
 */
import type { JsonObject, KubeObject, NewObject, Resource } from '#shared/domain/objects.ts';
import type { Fault } from '../../fault.ts';
import type { JobSpec } from '../../pod-template.ts';

/** JobTemplates by name. Null: it does not exist. Missing: it was not looked up. */
export type KnownTemplates = Readonly<Record<string, JobSpec | null>>;

export interface Submission {
  /** The resource that it creates; the submitter needs the right to do so. */
  readonly creates: Resource;
  /** Why it cannot be run, judged from the object alone. */
  faults(object: JsonObject): readonly Fault[];
  /** Help for mistakes that policies refuse with their own messages. Absent: none. */
  hints?(object: JsonObject): readonly string[];
  /** Templates that it uses by name. Absent: none. */
  readonly templates?: ReferredTemplates;
  /** The nodes that it names, with the consequence if one does not exist. Absent: none. */
  nodeNames?(object: JsonObject): ReadonlyMap<string, string>;
  /** The Jobs that it will make, as far as templates are known; one for each group of equal ones. */
  children(object: JsonObject, templates: KnownTemplates): Rendered;
  /** Warnings about valid but probably unintended settings. Absent: none. */
  remarks?(object: JsonObject): readonly string[];
}

export interface ReferredTemplates {
  readonly resource: Resource;
  /** The field that names them. */
  readonly path: string;
  /** Their names, each once. */
  namesIn(object: JsonObject): readonly string[];
  jobOf(template: KubeObject): JobSpec;
}

export interface Rendered {
  readonly children: readonly Child[];
  readonly faults: readonly Fault[];
}

export interface Child {
  /** Part of the object that it comes from, for people: `step "a"`. */
  readonly of: string;
  readonly job: NewObject;
  /** By path in the Job: the user's field that it comes from, and the message for that field. */
  readonly comesOf?: Readonly<Record<string, Fault>>;
}
