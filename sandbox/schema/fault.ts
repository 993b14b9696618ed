/** Faults of value validation as kube-openapi collects them: each text once, in order. */
import type { StatusCause } from '../apimachinery/status-error.ts';
import { invalid } from '../apimachinery/cause.ts';

export interface Fault {
  /** Go's `Error()`: faults with the same text are one. */
  readonly text: string;
  /** `base` is the path of the object that is validated: empty, or `status`. */
  readonly toCause: (base: string) => StatusCause;
}

/**
 * A check of one value. Faults go to `faults`; the answer counts what held, by which the most
 * telling branch of an `anyOf` or `oneOf` is picked (kube-openapi `Result.MatchCount`).
 */
export type Faults = Fault[];

export function report(faults: Faults, fault: Fault): void {
  if (!faults.some(({ text }) => text === fault.text)) faults.push(fault);
}

/** A fault at `path`, which starts with a dot below the root of the object. */
export function faultAt(
  path: string,
  text: string,
  cause: (field: string, text: string) => StatusCause,
): Fault {
  return { text, toCause: (base) => cause(fieldOf(base, path), text) };
}

/** A fault that the API server tells without a field: compositions and number formats. */
export function placelessFault(text: string): Fault {
  return { text, toCause: (base) => invalid(base, '', text) };
}

function fieldOf(base: string, path: string): string {
  const field = path.startsWith('.') ? path.slice(1) : path;
  if (base === '' || field === '') return base + field;
  return `${base}.${field}`;
}
