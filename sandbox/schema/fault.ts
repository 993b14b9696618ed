/** Faults of value validation, collected as in kube-openapi: each text once, in order. */
import type { StatusCause } from '../apimachinery/status-error.ts';
import { invalid } from '../apimachinery/cause.ts';

export interface Fault {
  /** Go's `Error()`. Faults with the same text are one fault. */
  readonly text: string;
  /** `base`: the path of the validated object, which is empty or `status`. */
  readonly toCause: (base: string) => StatusCause;
}

/**
 * A check of one value. It adds faults to `faults`, and returns how many checks were met. By that
 * number kube-openapi picks the most relevant branch of an `anyOf` or `oneOf`
 * (`Result.MatchCount`).
 */
export type Faults = Fault[];

export function report(faults: Faults, fault: Fault): void {
  if (!faults.some(({ text }) => text === fault.text)) faults.push(fault);
}

/** A fault at `path`, which begins with a dot and is relative to the root of the object. */
export function faultAt(
  path: string,
  text: string,
  cause: (field: string, text: string) => StatusCause,
): Fault {
  return { text, toCause: (base) => cause(fieldOf(base, path), text) };
}

/** A fault that the API server reports without a field: compositions and number formats. */
export function placelessFault(text: string): Fault {
  return { text, toCause: (base) => invalid(base, '', text) };
}

function fieldOf(base: string, path: string): string {
  const field = path.startsWith('.') ? path.slice(1) : path;
  if (base === '' || field === '') return base + field;
  return `${base}.${field}`;
}
