/** Unknown annotations with Millrace's prefix: a misspelt key has no effect. */
import { didYouMean } from './fault.ts';
import type { Finding } from '#shared/domain/findings.ts';
import { annotations, isUnknownAnnotation, prefix } from '#shared/domain/labels.ts';

/** Annotations that users write on a JobFlow, a DaemonJob or a Job. */
const ofUsers: readonly string[] = [annotations.retry, annotations.suspendOverride];
/** Most faults that are named for one object. */
const mostNamed = 3;

/**
 * The problem with this unknown key, and the key to write instead. `readable`: the keys with an effect on this object.
 */
export function unknownAnnotation(key: string, readable: readonly string[] = ofUsers): string {
  const words = readable.map((each) => each.slice(prefix.length));
  const near = didYouMean(key.slice(prefix.length), words);
  const hint =
    near === undefined
      ? readable.length === 0
        ? 'remove it'
        : `there are ${readable.join(' and ')}`
      : `did you mean ${prefix}${near}?`;
  return `metadata.annotations[${key}]: Millrace knows no such annotation; ${hint}`;
}

/** As a condition: if no webhook has refused the key, it is reported once. */
export function annotationsFinding(
  { annotations: given = {} }: { readonly annotations?: Readonly<Record<string, string>> },
  readable?: readonly string[],
): Finding<'UnknownAnnotation'> {
  const unknown = Object.keys(given).filter(isUnknownAnnotation).sort();
  const isTrue = unknown.length > 0;
  const faults = unknown.slice(0, mostNamed).map((key) => unknownAnnotation(key, readable));
  return {
    type: 'UnknownAnnotation',
    onlyWhenKnown: true,
    isTrue,
    reason: isTrue ? 'UnknownAnnotation' : 'AllKnown',
    message: isTrue ? faults.join('; ') : 'every annotation of Millrace is known',
  };
}
