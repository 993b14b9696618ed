/** How much rendering a Job, applying it and recording it costs. */
import type { PodSpec } from '#shared/api/pod-template.ts';
import { redactEnv } from '#shared/domain/redact.ts';

/** Of the Jobs that one decision renders: it stays short whatever they hold, and the next one follows at once. */
export const mostWeight = 1_000;

/** Of its template as JSON: up to so many, a Job weighs 1. */
const charactersPerJob = 2_560;

export interface Ingredients {
  readonly template: object;
  readonly pod: PodSpec;
  /** What the parent adds to each container. */
  readonly added: readonly (object | undefined)[];
}

export function jobWeight({ template, pod, added }: Ingredients): number {
  const { containers, initContainers = [] } = pod;
  const inEach = added.reduce((sum, each) => sum + charactersOf(each), 0);
  const whole = charactersOf(template) + inEach * (containers.length + initContainers.length);
  return Math.max(1, whole / charactersPerJob);
}

/** Without the values of variables, which no decision may rest on: they are not recorded. */
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
