/** The continue token of a list, opaque to clients (apiserver pkg/storage/continue.go). */
import { badRequest } from '../apimachinery/status-error.ts';

export interface Continue {
  /** Revision of the first page: all pages show the same state. */
  readonly revision: number;
  /** Key of the last object on the previous pages. */
  readonly after: string;
}

const version = 'meta.k8s.io/v1';

export function continueToken({ revision, after }: Continue): string {
  const token = JSON.stringify({ v: version, rv: revision, start: after });
  return Buffer.from(token).toString('base64url');
}

/** Throws StatusError 400. */
export function parseContinue(token: string): Continue {
  const { v, rv, start } = parsed(token);
  if (v !== version || typeof rv !== 'number' || typeof start !== 'string') {
    throw fault(`server does not recognize this encoded version ${JSON.stringify(v)}`);
  }
  return { revision: rv, after: start };
}

function parsed(token: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(Buffer.from(token, 'base64url').toString('utf8'));
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // Reported below, in the words of Go's decoder.
  }
  throw fault('invalid character at the beginning of value');
}

function fault(why: string): Error {
  return badRequest(`invalid continue token: continue key is not valid: ${why}`);
}
