/** The formats that a client accepts: k8s.io/apiserver pkg/endpoints/handlers/negotiation. */
import { StatusError } from '../apimachinery/status-error.ts';

export interface Accepted {
  readonly format: 'json' | 'yaml';
  /** A shape other than the object's own. */
  readonly as?: 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList';
  /** The meta.k8s.io version of that shape. */
  readonly version?: 'v1' | 'v1beta1';
}

interface MediaRange {
  /** As `application/json`, in small letters. */
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly quality: number;
}

const formats: Readonly<Record<string, Accepted['format']>> = {
  'application/json': 'json',
  'application/yaml': 'yaml',
  '*/*': 'json',
};

const known = 'application/json, application/yaml';

/**
 * The first range that can be served, in the client's order of preference. Protobuf is skipped,
 * because clients that ask for it accept JSON as well. Throws StatusError 406.
 */
export function negotiate(header: string | undefined): Accepted {
  if (header === undefined || header.trim() === '') return { format: 'json' };
  for (const range of rangesOf(header)) {
    const accepted = acceptedBy(range);
    if (accepted !== undefined) return accepted;
  }
  const message = `only the following media types are accepted: ${known}`;
  throw new StatusError(406, 'NotAcceptable', message);
}

/** By preference, then in the order of the header. */
export function rangesOf(header: string): readonly MediaRange[] {
  return header
    .split(',')
    .map(rangeOf)
    .sort((one, other) => other.quality - one.quality);
}

function rangeOf(clause: string): MediaRange {
  const [type = '', ...rest] = clause.split(';').map((part) => part.trim());
  const parameters = new Map(
    rest.map((part): [string, string] => {
      const [name = '', value = ''] = part.split('=');
      return [name.toLowerCase(), value];
    }),
  );
  const quality = Number(parameters.get('q') ?? 1);
  return { type: type.toLowerCase(), parameters, quality: Number.isNaN(quality) ? 1 : quality };
}

function acceptedBy({ type, parameters }: MediaRange): Accepted | undefined {
  const format = formats[type];
  if (format === undefined) return undefined;
  const as = parameters.get('as');
  if (as === undefined) return { format };
  const version = parameters.get('v');
  if (parameters.get('g') !== 'meta.k8s.io' || (version !== 'v1' && version !== 'v1beta1')) {
    return undefined;
  }
  if (as !== 'Table' && as !== 'PartialObjectMetadata' && as !== 'PartialObjectMetadataList') {
    return undefined;
  }
  return { format, as, version };
}
