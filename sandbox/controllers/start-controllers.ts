/** Starts the control plane and the nodes of a sandbox. */
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
  /** Runs the containers of Pods. */
  readonly runtime: ContainerRuntime;
  /** Whether queues of Kueue are simulated. Kueue's definitions must exist. Default false. */
  readonly kueue?: boolean;
  /** Called when a controller's turn for an object failed. The turn is tried again. */
  readonly onError: (failed: FailedTurn) => void;
}

export interface FailedTurn {
  readonly controller: string;
  /** The object, as the controller names it. */
  readonly key: string;
  readonly error: unknown;
}

/** Starts all controllers by the clock. They begin with the existing objects. */
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
