import { expect, it } from 'vitest';
import { type ErrorCode, MillraceError } from '#shared/domain/errors.ts';
import { rejectionOf } from './rejection-of.ts';

const refusal = (code: ErrorCode, fields: object = {}) =>
  new MillraceError(code, { verb: 'create', path: '/jobs', detail: 'why', ...fields });

it.each<readonly [string, MillraceError, string | undefined]>([
  ['no permission', refusal('MR_API_FORBIDDEN'), 'Forbidden'],
  ['a quota', refusal('MR_API_FORBIDDEN', { detail: 'exceeded quota: q' }), 'QuotaExceeded'],
  [
    'a namespace that is being deleted, whatever else is said',
    refusal('MR_API_FORBIDDEN', {
      detail: 'exceeded quota: q',
      causes: 'Other,NamespaceTerminating',
    }),
    'Refused',
  ],
  ['another cause', refusal('MR_API_FORBIDDEN', { causes: 'Other' }), 'Forbidden'],
  ['an object that is not valid', refusal('MR_API_INVALID'), 'Invalid'],
  ['an object that is too large', refusal('MR_API_TOO_LARGE'), 'Invalid'],
  ['a namespace that is gone', refusal('MR_API_NOT_FOUND'), 'Refused'],
  ['a request that is not taken', refusal('MR_API_REFUSED', { status: 405 }), 'Refused'],
  ['a credential that is not accepted', refusal('MR_API_REFUSED', { status: 401 }), undefined],
  [
    'a webhook that does not answer',
    refusal('MR_API_RETRYABLE', {
      ...{ status: 500, detail: 'Internal error occurred: failed calling webhook "w.example.com"' },
    }),
    'Refused',
  ],
  [
    'a conversion that does not answer',
    refusal('MR_API_RETRYABLE', { status: 500, detail: 'conversion webhook for a/v1 failed: no' }),
    'Refused',
  ],
  [
    'a Service for which there is no address',
    refusal('MR_API_RETRYABLE', {
      ...{ status: 500, detail: 'Internal error occurred: failed to allocate a serviceIP' },
    }),
    'Refused',
  ],
  [
    'a server that is too busy to call a webhook',
    refusal('MR_API_RETRYABLE', { status: 429, detail: 'failed calling webhook "w"' }),
    undefined,
  ],
  ['an admission, with whatever status', refusal('MR_API_DENIED', { status: 500 }), 'Refused'],
  ['a store without a leader', refusal('MR_API_RETRYABLE', { status: 500 }), undefined],
  ['a conflict', refusal('MR_API_CONFLICT'), undefined],
  ['a server that cannot be reached', refusal('MR_API_UNREACHABLE'), undefined],
])('the refusal of a write for %s has this code', (_, error, code) => {
  const rejection = rejectionOf('etl-a', error);
  expect(rejection?.code).toBe(code);
  const message = String(error.fields['detail']);
  expect(rejection).toEqual(code === undefined ? undefined : { name: 'etl-a', code, message });
});
