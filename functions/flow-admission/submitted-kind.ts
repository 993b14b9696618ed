/**
 * What admission has to know of a kind whose objects make Jobs. Everything else (who may, what policy
 * says, what the API server would say) is the same for all of them.
 *
 * The API server has judged the object by its schema and policies before it is validated; before it is
 * changed nobody has, so that `hints` take nothing for granted.
 */
import type { Fault } from '#shared/api/fault.ts';
import type { JobSpec } from '#shared/api/pod-template.ts';
import type { JsonObject, NewObject, Resource } from '#shared/domain/objects.ts';

/** JobTemplates by name. Null: there is none; not there: nobody looked. */
export type KnownTemplates = Readonly<Record<string, JobSpec | null>>;

export interface SubmittedKind {
  readonly resource: Resource;
  /** Why it cannot be run, as far as the object alone says. */
  faults(object: JsonObject): readonly Fault[];
  /** What helps to correct a mistake that policies refuse in words of their own. */
  hints(object: JsonObject): readonly string[];
  /** Names of the JobTemplates that it refers to, each once. */
  templateNames(object: JsonObject): readonly string[];
  /** The nodes that it names, with what it means when there is no such node. */
  nodeNames(object: JsonObject): ReadonlyMap<string, string>;
  /** The Jobs that it will make, as far as templates are known; of those that are alike, one. */
  children(object: JsonObject, templates: KnownTemplates): Rendered;
  /** What is legal and surely not meant. */
  remarks(object: JsonObject): readonly string[];
}

export interface Rendered {
  readonly children: readonly Child[];
  readonly faults: readonly Fault[];
}

export interface Child {
  /** Which part of the object it is from, for people: `step "a"`. */
  readonly of: string;
  readonly job: NewObject;
  /** By path of the Job: the field of the author that it comes of, and what to say of that. */
  readonly comesOf?: Readonly<Record<string, Fault>>;
}
