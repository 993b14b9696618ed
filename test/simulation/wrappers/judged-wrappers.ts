/** appwrapper-lifecycle in the simulation: judged by its effects (wrapper-witness.ts), without a model of it. */
import { appwrapperLifecycle } from '#functions/appwrapper-lifecycle/function.ts';
import type { LifecycleSnapshot } from '#functions/appwrapper-lifecycle/snapshot.ts';
import { noModel, type JudgedKind } from '../model/kind-model.ts';

export const judgedWrappers: JudgedKind<LifecycleSnapshot> = {
  fn: appwrapperLifecycle,
  plays: ({ wrappers }) => wrappers !== undefined,
  about: ({ wrapper }) => wrapper.metadata,
  newModel: () => noModel,
};
