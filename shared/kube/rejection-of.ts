import type { MillraceError } from '#shared/domain/errors.ts';
import type { Rejection } from '#shared/domain/rejection.ts';
import { listed } from '#shared/domain/wording.ts';

/**
 * The meaning of a refused request about an object for the decision. Undefined if the refusal is not about the object:
 * a conflict, a fault that may pass, or refused credentials. `losses`: dropped fields that the same answer reports.
 * They come first, because a misspelt field is often the cause of the refusal.
 */
export function rejectionOf(
  name: string,
  error: MillraceError,
  losses: readonly string[] = [],
): Rejection | undefined {
  const detail = String(error.fields['detail'] ?? error.message);
  const code = rejectionCode(error, detail);
  const message = losses.length === 0 ? detail : `${listed(losses, 3)}; ${detail}`;
  return code === undefined ? undefined : { name, code, message };
}

function rejectionCode(error: MillraceError, message: string): Rejection['code'] | undefined {
  switch (error.code) {
    case 'MR_API_FORBIDDEN':
      if (namesCause(error, 'NamespaceTerminating')) return 'Refused';
      return isQuotaExceeded(message) ? 'QuotaExceeded' : 'Forbidden';
    case 'MR_API_INVALID':
    case 'MR_API_TOO_LARGE':
      return 'Invalid';
    case 'MR_API_DENIED':
      return 'Refused';
    case 'MR_API_NOT_FOUND': // the namespace is gone, or the kind is not served
    case 'MR_API_REFUSED':
      return error.fields['status'] === 401 ? undefined : 'Refused';
    case 'MR_API_RETRYABLE':
      return isOfThisObject(error, message) ? 'Refused' : undefined;
    default:
      return undefined;
  }
}

function namesCause(error: MillraceError, cause: string): boolean {
  return String(error.fields['causes']).split(',').includes(cause);
}

/**
 * A webhook without an answer, or an address that cannot be assigned, concerns the object and needs a person. They are
 * answered like any server fault (k8s.io/apiserver pkg/admission/plugin/webhook; k8s.io/apiextensions-apiserver
 * pkg/apiserver/conversion; kubernetes pkg/registry/core/service). So only the wording shows them; tests on the real
 * API server guard those of the webhooks.
 */
function isOfThisObject(error: MillraceError, message: string): boolean {
  return error.fields['status'] === 500 && ofThisObject.some((words) => message.includes(words));
}

const ofThisObject = ['failed calling webhook', 'conversion webhook for', 'failed to allocate'];

/**
 * The quota admission answers a plain Forbidden without a cause (k8s.io/apiserver
 * pkg/admission/plugin/resourcequota, checkRequest). So only the wording shows it; a test on the real API server
 * guards that.
 */
function isQuotaExceeded(message: string): boolean {
  return message.includes('exceeded quota:');
}
