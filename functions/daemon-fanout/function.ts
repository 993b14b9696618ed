/** daemon-fanout: creates the Jobs of a DaemonJob when it, one of its Jobs or a node changes. */
import { submitterOf } from '#shared/domain/submitter.ts';
import type { EventFunction } from '#shared/runtime/function/event-function.ts';
import { decide } from './decide.ts';
import { observe } from './observe.ts';
import { withRejections, withWarnings, type DaemonSnapshot } from './snapshot.ts';
import { restsOnAll } from './rests-on-all.ts';
import { subscription } from './subscription.ts';
import { takesForAbsent } from './takes-for-absent.ts';

export const daemonFanout: EventFunction<DaemonSnapshot> = {
  subscription,
  observe,
  decide,
  secondLook: {
    knowing: (snapshot, { rejections, warnings }) =>
      withWarnings(withRejections(snapshot, rejections), warnings),
    takesForAbsent,
    restsOnAll,
  },
  submitterOf: ({ daemonJob }) => submitterOf(daemonJob.metadata),
};
