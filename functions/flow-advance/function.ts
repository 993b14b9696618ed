/** flow-advance: advances a JobFlow when the flow, one of its Jobs or one of its JobTemplates changes. */
import { submitterOf } from '#shared/domain/submitter.ts';
import type { EventFunction } from '#shared/runtime/function/event-function.ts';
import { assuming } from './assuming.ts';
import { decide } from './decide.ts';
import { observe } from './observe.ts';
import { createPinSeal } from './observe/pin-seal.ts';
import { withRejections, withWarnings, type FlowSnapshot } from './snapshot.ts';
import { subscription } from './subscription.ts';
import { takesForAbsent } from './takes-for-absent.ts';
import { templateOrigins } from './template-origins.ts';

export const flowAdvance: EventFunction<FlowSnapshot> = {
  subscription,
  observe: (key, reader, { nowMs } = {}) => observe(key, reader, { nowMs }),
  decide,
  assuming,
  secondLook: {
    knowing: (snapshot, { rejections, warnings }) =>
      withWarnings(withRejections(snapshot, rejections), warnings),
    takesForAbsent,
  },
  submitterOf: ({ flow }) => submitterOf(flow.metadata),
  templateOrigins,
  withKeys: (keys) => {
    const seal = createPinSeal(keys);
    return {
      ...flowAdvance,
      observe: (key, reader, { nowMs } = {}) => observe(key, reader, { seal, nowMs }),
    };
  },
};
