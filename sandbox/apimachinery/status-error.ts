/** Failures as the API server reports them: metav1.Status with the codes and reasons of apimachinery. */
import type { Json, Resource } from '#shared/domain/objects.ts';

export interface StatusCause {
  /** metav1.CauseType, as FieldValueInvalid, FieldValueRequired, FieldManagerConflict. */
  readonly reason: string;
  readonly message: string;
  /** As `spec.flows[0].name`; `.spec.x` for conflicts of managers. */
  readonly field?: string;
}

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

/** Thrown anywhere below the HTTP front, which sends it as the answer. */
export class StatusError extends Error {
  override readonly name = 'StatusError';
  readonly code: number;
  readonly reason: string;
  readonly details: StatusDetails | undefined;

  constructor(code: number, reason: string, message: string, details?: StatusDetails) {
    super(message);
    this.code = code;
    this.reason = reason;
    this.details = details;
  }

  toStatus(): Readonly<Record<string, Json | undefined>> {
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: this.message,
      ...(this.reason === '' ? {} : { reason: this.reason }),
      ...(this.details === undefined
        ? {}
        : { details: JSON.parse(JSON.stringify(this.details, unlessEmpty)) as Json }),
      code: this.code,
    };
  }
}

/** The reason of a cause is left out where there is none. */
function unlessEmpty(name: string, value: unknown): unknown {
  return name === 'reason' && value === '' ? undefined : value;
}

type Named = Pick<Resource, 'group' | 'plural' | 'kind'>;

/** The name of a resource in messages: `jobflows.api.practice.com`, `pods`. */
export function qualified({ group, plural }: Pick<Resource, 'group' | 'plural'>): string {
  return group === '' ? plural : `${plural}.${group}`;
}

const of = ({ group, plural }: Named, name: string): StatusDetails => ({
  ...(name === '' ? {} : { name }),
  ...(group === '' ? {} : { group }),
  ...(plural === '' ? {} : { kind: plural }),
});

export function notFound(type: Named, name: string): StatusError {
  return new StatusError(404, 'NotFound', `${qualified(type)} "${name}" not found`, of(type, name));
}

export function alreadyExists(type: Named, name: string): StatusError {
  const message = `${qualified(type)} "${name}" already exists`;
  return new StatusError(409, 'AlreadyExists', message, of(type, name));
}

export function conflict(type: Named, name: string, why: string): StatusError {
  const message = `Operation cannot be fulfilled on ${qualified(type)} "${name}": ${why}`;
  return new StatusError(409, 'Conflict', message, of(type, name));
}

/** The messages of `causes` lack the field, which the text puts in front. */
export function invalid(type: Named, name: string, causes: readonly StatusCause[]): StatusError {
  const described = causes.map(({ field, message }) =>
    field === undefined || field === '' ? message : `${field}: ${message}`,
  );
  // A fault that was found twice has two causes but is reported once.
  const texts = [...new Set(described)];
  const what = type.group === '' ? type.kind : `${type.kind}.${type.group}`;
  const list = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`;
  const named = of({ ...type, plural: type.kind }, name);
  const details = { ...named, causes };
  return new StatusError(422, 'Invalid', `${what} "${name}" is invalid: ${list}`, details);
}

export function badRequest(message: string): StatusError {
  return new StatusError(400, 'BadRequest', message);
}

/** The requested versions are no longer in the history. */
export function expired(message: string): StatusError {
  return new StatusError(410, 'Expired', message);
}
