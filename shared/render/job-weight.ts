/** The cost of rendering, applying and recording a Job. */
import type { PodSpec } from '#shared/api/pod-template.ts';
import { redactEnv } from '#shared/domain/redact.ts';

/** Most weight of the Jobs that one decision renders. It keeps decisions short; the next one follows at once. */
export const mostWeight = 1_000;

/** A template of up to this many characters of JSON weighs 1. */
const charactersPerJob = 2_560;

export interface Ingredients {
  readonly template: object;
  readonly pod: PodSpec;
  /** The parent's additions to each container. */
  readonly added: readonly (object | undefined)[];
}

export function jobWeight({ template, pod, added }: Ingredients): number {
  const { containers, initContainers = [] } = pod;
  const inEach = added.reduce((sum, each) => sum + charactersOf(each), 0);
  const whole = charactersOf(template) + inEach * (containers.length + initContainers.length);
  return Math.max(1, whole / charactersPerJob);
}

/** Without values of variables, because no decision may depend on them: they are not recorded. */
function charactersOf(value: object | undefined): number {
  if (value === undefined) return 0;
  let known = characters.get(value);
  if (known === undefined) {
    known = JSON.stringify(redactEnv(value)).length;
    characters.set(value, known);
  }
  return known;
}

/** A parent's Jobs are rendered from the same few objects. */
const characters = new WeakMap<object, number>();
