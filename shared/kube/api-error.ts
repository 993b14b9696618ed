/** The meaning of an API server's answer, as one of the MR_API_* errors of the client contract. */
import { MillraceError, type ErrorCode, type ErrorOptions } from '#shared/domain/errors.ts';

/** The request that an error is about. */
export interface RequestLabel {
  /** As RBAC names it: get, list, watch, create, patch, delete. */
  readonly verb: string;
  readonly path: string;
}

/** The fields of a metav1.Status that are used. */
interface ApiStatus {
  readonly code: number | undefined;
  readonly reason: string | undefined;
  readonly message: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly causes: readonly string[];
}

/**
 * The error for an HTTP status other than success. `fields`: verb, path, status, reason, detail (the
 * server's message) and, if the Status has some, `causes` (its cause types, comma-joined).
 */
export function apiError(
  label: RequestLabel,
  httpStatus: number,
  body: string,
  retryAfter?: string,
): MillraceError {
  const status = parseStatus(parseJson(body));
  return errorOf(label, httpStatus, {
    ...status,
    message: status.message ?? firstLine(body),
    retryAfterSeconds: retryAfterSeconds(retryAfter) ?? status.retryAfterSeconds,
  });
}

/** The error for the Status in an ERROR event of a watch. */
export function watchError(label: RequestLabel, object: unknown): MillraceError {
  const status = parseStatus(object);
  return errorOf(label, status.code ?? 500, status);
}

/** No answer, or half of one: the request may or may not have been carried out. */
export function unreachable(label: RequestLabel, detail: string, cause?: unknown): MillraceError {
  return new MillraceError('MR_API_UNREACHABLE', { ...nameOf(label), detail }, { cause });
}

/** Only these two: fields are logged, and other parts of a request, such as its body, may be secret. */
function nameOf({ verb, path }: RequestLabel): RequestLabel {
  return { verb, path };
}

function errorOf(label: RequestLabel, httpStatus: number, status: ApiStatus): MillraceError {
  const causes = status.causes.join(',');
  const fields = {
    ...nameOf(label),
    status: httpStatus,
    reason: status.reason ?? defaultReason(httpStatus),
    detail: status.message ?? 'no reason given',
    ...(causes === '' ? {} : { causes }),
  };
  return new MillraceError(codeOf(httpStatus, fields.detail), fields, retryOptions(status));
}

/**
 * A webhook chooses the status of its denial, and many choose 500 (k8s.io/apiserver
 * pkg/admission/plugin/webhook/errors). So only the wording tells a denial from a fault of the server, from a conflict
 * or from refused credentials; a test on the real API server guards that.
 */
function isDenied(detail: string): boolean {
  return (
    (detail.includes('admission webhook "') && detail.includes('" denied the request')) ||
    (detail.includes("ValidatingAdmissionPolicy '") && detail.includes("' denied request"))
  );
}

/** A denial with one of these means the same as a refusal by the server itself. */
const plainRefusals: ReadonlySet<number> = new Set([400, 403, 422]);

/**
 * 413 is for a request above 3 MiB. An object that etcd refuses (1.5 MiB), or that is not even sent to
 * it (2 MiB), is answered with a plain 500 without a reason. So only the wording shows it; a test on
 * the real API server guards that.
 */
function isTooLarge(httpStatus: number, detail: string): boolean {
  if (httpStatus === 413) return true;
  const isOfEtcd = detail.includes('etcdserver: request is too large');
  return httpStatus === 500 && (isOfEtcd || detail.includes('trying to send message larger than'));
}

function retryOptions(status: ApiStatus): ErrorOptions {
  const seconds = status.retryAfterSeconds;
  return seconds === undefined ? {} : { retryAfterMs: seconds * 1000 };
}

function codeOf(httpStatus: number, detail: string): ErrorCode {
  if (isTooLarge(httpStatus, detail)) return 'MR_API_TOO_LARGE';
  if (isDenied(detail) && !plainRefusals.has(httpStatus)) return 'MR_API_DENIED';
  if (httpStatus === 429 || httpStatus >= 500) return 'MR_API_RETRYABLE';
  switch (httpStatus) {
    case 400:
    case 422:
      return 'MR_API_INVALID';
    case 403:
      return 'MR_API_FORBIDDEN';
    case 404:
      return 'MR_API_NOT_FOUND';
    case 409:
      return 'MR_API_CONFLICT';
    case 410:
      return 'MR_API_GONE';
    default:
      return 'MR_API_REFUSED';
  }
}

/** A proxy in between answers without a Status. A bare 409 then counts as the harmless kind. */
function defaultReason(httpStatus: number): string {
  return httpStatus === 409 ? 'Conflict' : 'Unknown';
}

function parseStatus(value: unknown): ApiStatus {
  const status = asRecord(value);
  const details = asRecord(status['details']);
  return {
    code: asNumber(status['code']),
    reason: asText(status['reason']),
    message: asText(status['message']),
    retryAfterSeconds: positive(details['retryAfterSeconds']),
    causes: asArray(details['causes']).flatMap((cause) => asText(asRecord(cause)['reason']) ?? []),
  };
}

/** Retry-After in seconds. The API server never sends the date form. */
function retryAfterSeconds(header: string | undefined): number | undefined {
  return header !== undefined && /^\d{1,6}$/.test(header) ? Number(header) : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined; // not from the API server: the text is the message
  }
}

function firstLine(text: string): string | undefined {
  const line = text.trim().split('\n', 1)[0]?.slice(0, 200);
  return line === '' ? undefined : line;
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function asText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Not every server leaves a zero out of a Status. */
function positive(value: unknown): number | undefined {
  return typeof value === 'number' && value > 0 ? value : undefined;
}

function asNumber(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
