/**
 * The options of a write as webhooks see them. A patch has those of the operation that it causes.
 */
import type { JsonObject } from '#shared/domain/objects.ts';
import type { AdmissionStep } from './admission-step.ts';
import type { CallOptions } from './api-call.ts';

const kinds = {
  CREATE: 'CreateOptions',
  UPDATE: 'UpdateOptions',
  DELETE: 'DeleteOptions',
} as const;

/** meta.k8s.io/v1 CreateOptions, UpdateOptions or DeleteOptions. */
export function reviewedOptions(
  operation: AdmissionStep['operation'],
  options: CallOptions,
): JsonObject {
  const ofOperation = operation === 'DELETE' ? deletion(options) : writing(options);
  return {
    kind: kinds[operation],
    apiVersion: 'meta.k8s.io/v1',
    ...(options.dryRun === true ? { dryRun: ['All'] } : {}),
    ...ofOperation,
  };
}

function writing({ fieldManager, fieldValidation }: CallOptions): JsonObject {
  return {
    ...(fieldManager === undefined ? {} : { fieldManager }),
    ...(fieldValidation === undefined ? {} : { fieldValidation }),
  };
}

function deletion(options: CallOptions): JsonObject {
  const { gracePeriodSeconds, propagationPolicy, preconditions } = options;
  return {
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
    ...(preconditions === undefined ? {} : { preconditions: { ...preconditions } }),
  };
}
