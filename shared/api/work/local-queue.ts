/** A queue of Kueue for the work of one namespace. */
import { fieldsOf } from '#shared/domain/json-value.ts';
import { resources } from '#shared/domain/resources.ts';
import { stripMetadata } from '#shared/domain/strip-metadata.ts';
import type { WorkKind } from './work-kind.ts';

/** Kueue's values (apis/kueue/v1beta2/localqueue_types.go, StopPolicy). */
const stopPolicies = { nothing: 'None', starts: 'Hold', everything: 'HoldAndDrain' } as const;

/** One write covers everything in the queue; Kueue does the rest. */
export const localQueueWork: WorkKind = {
  resource: resources.LocalQueue,
  isOptional: true,
  suspension: {
    stopOf: ({ stopPolicy }) =>
      stopPolicy === stopPolicies.everything
        ? 'everything'
        : stopPolicy === stopPolicies.starts
          ? 'starts'
          : 'nothing',
    specWith: (stop) => ({ stopPolicy: stopPolicies[stop] }),
    letsFinish: true,
    asRead: true,
    hasEnded: () => false,
    isActive: () => false,
    isQueue: true,
    // Its status counts its content, which changes with every Job.
    keep: (object) => {
      const { apiVersion, kind, metadata } = stripMetadata(object);
      const { stopPolicy } = fieldsOf(object.spec);
      const spec = stopPolicy === undefined ? {} : { stopPolicy };
      return { apiVersion, kind, metadata, spec };
    },
    says: 'LocalQueue is the queue of Kueue: while it is closed its stopPolicy is HoldAndDrain, or Hold while running work may continue; capacity, onResume and adopt do not apply to it.',
  },
};
