/** The PART of NAME/PART: a step of a flow, a node of a DaemonJob, a component of an AppWrapper. */
import { didYouMean } from '#shared/api/fault.ts';
import { listed } from '#shared/domain/wording.ts';
import { CommandFailure, exitCodes } from './command-failure.ts';

const partWords: ReadonlyMap<string, string> = new Map([
  ['JobFlow', 'step'],
  ['DaemonJob', 'node'],
  ['AppWrapper', 'component'],
]);

export function partWord(kind: string): string {
  return partWords.get(kind) ?? 'part';
}

interface Whole {
  readonly kind: string;
  readonly name: string;
}

/** Throws CommandFailure with the nearest name if the object has no such part. */
export function requirePart(
  { kind, name }: Whole,
  part: string,
  parts: readonly string[],
  next = `millrace get ${kind.toLowerCase()}/${name}`,
): void {
  if (parts.includes(part)) return;
  const word = partWord(kind);
  const near = didYouMean(part, parts);
  const hint =
    near !== undefined
      ? `; did you mean ${near}?`
      : parts.length === 0
        ? ''
        : `; it has ${listed(parts)}`;
  const message = `${kind} ${name} has no ${word} ${part}${hint}`;
  throw new CommandFailure(exitCodes.notFound, message, next);
}
