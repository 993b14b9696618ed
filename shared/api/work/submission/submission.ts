/**
 * What admission has to know of a kind whose objects make Jobs. Everything else (who may, what policy
 * says, what the API server would say) is the same for all of them.
 *
 * The API server has judged the object by its schema and policies before it is validated; before it is
 * changed nobody has, so that `hints` take nothing for granted.
 */
import type { JsonObject, KubeObject, NewObject, Resource } from '#shared/domain/objects.ts';
import type { Fault } from '../../fault.ts';
import type { JobSpec } from '../../pod-template.ts';

/** JobTemplates by name. Null: there is none; not there: nobody looked. */
export type KnownTemplates = Readonly<Record<string, JobSpec | null>>;

export interface Submission {
  /** What the Jobs are that it will make: the submitter needs the right to create them. */
  readonly creates: Resource;
  /** Why it cannot be run, as far as the object alone says. */
  faults(object: JsonObject): readonly Fault[];
  /** What helps to correct a mistake that policies refuse in words of their own. Absent: nothing. */
  hints?(object: JsonObject): readonly string[];
  /** Templates that it refers to by name. Absent: it refers to none. */
  readonly templates?: ReferredTemplates;
  /** The nodes that it names, with what it means when there is no such node. Absent: it names none. */
  nodeNames?(object: JsonObject): ReadonlyMap<string, string>;
  /** The Jobs that it will make, as far as templates are known; of those that are alike, one. */
  children(object: JsonObject, templates: KnownTemplates): Rendered;
  /** What is legal and surely not meant. Absent: nothing. */
  remarks?(object: JsonObject): readonly string[];
}

export interface ReferredTemplates {
  readonly resource: Resource;
  /** The field that refers to them. */
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
  /** Which part of the object it is from, for people: `step "a"`. */
  readonly of: string;
  readonly job: NewObject;
  /** By path of the Job: the field of the author that it comes of, and what to say of that. */
  readonly comesOf?: Readonly<Record<string, Fault>>;
}
