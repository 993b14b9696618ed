import { describe, expect, it } from 'vitest';
import { MillraceError, type ErrorCode } from '#shared/domain/errors.ts';
import { forbiddenRetryMs, verdictOfError } from './verdict-of-error.ts';

const fields = { verb: 'get', path: 'jobs', status: 500, reason: 'Conflict', detail: 'as it said' };
const failed = (code: ErrorCode, retryAfterMs?: number) =>
  new MillraceError(code, fields, retryAfterMs === undefined ? {} : { retryAfterMs });

describe('the verdict on an item whose run threw', () => {
  it.each([
    ['a conflict uses no attempt', failed('MR_API_CONFLICT'), { kind: 'later' }],
    ['a fault that may pass uses one', failed('MR_API_UNREACHABLE'), { kind: 'retry' }],
    [
      'a server that names a delay is busy, not broken',
      failed('MR_API_RETRYABLE', 2_000),
      { kind: 'later', afterMs: 2_000 },
    ],
    [
      'a missing permission is asked for seldom',
      failed('MR_API_FORBIDDEN'),
      { kind: 'retry', afterMs: forbiddenRetryMs },
    ],
    ['what cannot pass is parked', failed('MR_API_INVALID'), { kind: 'parked' }],
  ])('%s', (_, error, verdict) => {
    expect(verdictOfError(error)).toEqual({
      ...verdict,
      detail: `${error.code}: ${error.message}`,
    });
  });

  it.each([
    [new Error('a fault of the program'), 'a fault of the program'],
    ['a word', 'a word'],
  ])('anything else is a fault of the program, and tried again: %s', (error, detail) => {
    expect(verdictOfError(error)).toEqual({ kind: 'retry', detail });
  });
});
