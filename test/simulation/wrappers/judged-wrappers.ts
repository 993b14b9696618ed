/** appwrapper-lifecycle in the simulation: judged by what comes of it (wrapper-witness.ts), not by a model of its words. */
import { appwrapperLifecycle } from '#functions/appwrapper-lifecycle/function.ts';
import type { LifecycleSnapshot } from '#functions/appwrapper-lifecycle/snapshot.ts';
import { noModel, type JudgedKind } from '../model/kind-model.ts';

export const judgedWrappers: JudgedKind<LifecycleSnapshot> = {
  fn: appwrapperLifecycle,
  plays: ({ wrappers }) => wrappers !== undefined,
  about: ({ wrapper }) => wrapper.metadata,
  newModel: () => noModel,
};
