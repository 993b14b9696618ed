/** All controllers of a sandbox. */
import type { Clock } from '#shared/domain/clock.ts';
import type { Controller, ControllerApi } from './controller.ts';
import { EventExpiry } from './events/event-expiry.ts';
import { eventRecorders, recordNothing } from './events/event-recorder.ts';
import { GarbageCollector } from './garbage/garbage-collector.ts';
import { JobController } from './job/job-controller.ts';
import { TimeToLiveController } from './job/time-to-live.ts';
import { KueueController } from './kueue/kueue-controller.ts';
import { NamespaceController } from './namespace/namespace-controller.ts';
import { NodeController } from './node/node-controller.ts';
import { PodGarbageCollector } from './node/pod-garbage.ts';
import { TaintEviction } from './node/taint-eviction.ts';
import type { ContainerRuntime } from './pod/container-runtime.ts';
import { Kubelet } from './pod/kubelet.ts';
import { admissionBy } from './pod/pod-admission.ts';
import { preparedRuntime } from './pod/prepared-runtime.ts';
import { NodeLoad } from './scheduling/node-load.ts';
import { Scheduler } from './scheduling/scheduler.ts';

export interface ControllerOptions {
  readonly api: ControllerApi;
  readonly clock: Clock;
  readonly runtime: ContainerRuntime;
  /** Whether changes are reported by Events. Default true. */
  readonly events?: boolean;
  /** Whether queues of Kueue are simulated. Kueue's definitions must exist. Default false. */
  readonly kueue?: boolean;
  /** PEM, for the ConfigMap kube-root-ca.crt. Default empty. */
  readonly certificate?: string;
}

/** They share one view of the store, which from now on belongs to them. */
export function createControllers({
  api,
  clock,
  runtime,
  events = true,
  kueue = false,
  certificate = '',
}: ControllerOptions): readonly Controller[] {
  const recorder = events ? eventRecorders(api, clock) : () => recordNothing;
  const load = new NodeLoad(api.store);
  const kubelet = recorder('kubelet');
  return [
    new NamespaceController(certificate),
    new NodeController(),
    new Scheduler(load, recorder('default-scheduler')),
    new Kubelet(preparedRuntime(runtime, api, kubelet), admissionBy(load), kubelet),
    new JobController(recorder('job-controller')),
    new TimeToLiveController(),
    new GarbageCollector(),
    new TaintEviction(recorder('taint-eviction-controller')),
    new PodGarbageCollector(),
    new EventExpiry(),
    ...(kueue ? [new KueueController(recorder('kueue-admission'))] : []),
  ];
}
