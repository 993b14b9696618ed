/** Starts what plays the control plane and the nodes of a sandbox. */
import type { Random, WaitingClock } from '#shared/domain/clock.ts';
import type { SandboxApi } from '../api/api.ts';
import { createControllers } from './create-controllers.ts';
import type { ContainerRuntime } from './pod/container-runtime.ts';
import { ReviewedApi } from './reviewed-api.ts';
import { type RunningControllers, runControllers } from './run-controllers.ts';

export interface StartOptions {
  readonly api: SandboxApi;
  readonly clock: WaitingClock;
  readonly random: Random;
  /** What runs the containers of Pods. */
  readonly runtime: ContainerRuntime;
  /** Whether queues of Kueue are served; its definitions have to be there. Default false. */
  readonly kueue?: boolean;
  /** A turn of a controller for an object failed; it is tried again. */
  readonly onError: (failed: FailedTurn) => void;
}

export interface FailedTurn {
  readonly controller: string;
  /** Which object, as the controller names it. */
  readonly key: string;
  readonly error: unknown;
}

/** All controllers, on the time of the clock; they begin with the objects that are there. */
export function startControllers({
  api: sandbox,
  clock,
  random,
  runtime,
  kueue = false,
  onError,
}: StartOptions): RunningControllers {
  const api = new ReviewedApi(sandbox);
  return runControllers(createControllers({ api, clock, runtime, kueue }), {
    ...{ api, clock, random },
    onError: ({ controller, key }, error) => onError({ controller: controller.name, key, error }),
  });
}
