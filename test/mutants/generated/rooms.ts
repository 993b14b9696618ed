/** The code that is mutated: it decides, carries out, follows and queues. */
import { globSync } from 'node:fs';

export interface Room {
  readonly name: string;
  /** Patterns of the files, from the root of the project. */
  readonly files: readonly string[];
}

/**
 * Left out: composition and declarations (main, configuration, metrics, access), which the suites with
 * processes judge, and what runs only with a real server (BullMQ and its connections, the HTTP client).
 */
export const rooms: readonly Room[] = [
  {
    name: 'decide',
    files: [
      'functions/flow-advance/{decide,observe,snapshot}.ts',
      'functions/flow-advance/{decide,observe}/*.ts',
      'functions/daemon-fanout/{decide,observe,snapshot}.ts',
      'functions/daemon-fanout/{decide,observe}/*.ts',
      'functions/suspend-schedule/{decide,observe,snapshot}.ts',
      'functions/suspend-schedule/{decide,observe}/*.ts',
      'functions/kueue-workload-sync/{decide,observe,snapshot,workload,workload-name}.ts',
      'functions/kueue-workload-sync/{decide,observe}/*.ts',
      'functions/appwrapper-lifecycle/{component-name,decide,observe}.ts',
      'functions/appwrapper-lifecycle/{node-affinity,render-component,settings,snapshot,template-path}.ts',
      'functions/appwrapper-lifecycle/decide/*.ts',
      'functions/appwrapper-lifecycle/decide/phases/*.ts',
      'shared/parents/*.ts',
      'shared/suspension/*.ts',
      'shared/api/work/*.ts',
      'shared/api/work/queueing/*.ts',
      'shared/api/template-names.ts',
      'shared/domain/{child-state,failure-cause,findings,go-duration,hold-up,whole-number}.ts',
      'shared/domain/{announcements,next-command,observed-job,observed-pods,wording}.ts',
      'shared/kube/{children,doubtful-pods}.ts',
      'shared/render/*.ts',
    ],
  },
  {
    name: 'apply',
    files: [
      'shared/kube/{apply-outcome,apply-plan,bounded,cluster-clock,cluster-event}.ts',
      'shared/kube/{name-rejection,quoted-values,rejection-of,write-through}.ts',
      'shared/runtime/function/decision-{memory,recorder,round}.ts',
      'shared/runtime/function/{process-item,stamp-cause}.ts',
      'shared/runtime/function/{verdict-of-error,view-check}.ts',
    ],
  },
  {
    name: 'follow',
    files: [
      'shared/kube/{lease,reflector}-*.ts',
      'shared/kube/{object-view,ready-batches,reflector,refused-lists}.ts',
      'shared/domain/{recent,resource-version,strip-metadata}.ts',
      'shared/kube/view-reader.ts',
      'functions/bridge/{bridge,leadership,publish,published,sweep,translate}.ts',
      'functions/bridge/{stored-views,union,views,watch-set}.ts',
      'shared/views/{mirror,stored-view-reader}.ts',
      'functions/flow-advance/subscription.ts',
      'functions/flow-advance/subscription/*.ts',
      'functions/daemon-fanout/subscription.ts',
      'functions/daemon-fanout/subscription/*.ts',
      'functions/suspend-schedule/subscription.ts',
      'functions/suspend-schedule/subscription/*.ts',
      'functions/kueue-workload-sync/subscription.ts',
      'functions/kueue-workload-sync/subscription/*.ts',
      'functions/appwrapper-lifecycle/subscription.ts',
      'functions/appwrapper-lifecycle/subscription/*.ts',
      'functions/bridge/kinds-at-run-time.ts',
      'shared/kube/served-kinds.ts',
      'shared/subscription/*.ts',
    ],
  },
  {
    name: 'queue',
    files: [
      'shared/queue/{memory-queue,memory-room,waiting-takers,watchdog,work-underway}.ts',
      'functions/dispatcher/{deliver-in-process,dispatcher,settle,worker-loop}.ts',
    ],
  },
  {
    name: 'admit',
    files: [
      'functions/flow-admission/{access,check-submission,decide,facts,job-spec}.ts',
      'functions/flow-admission/{record-submitter,submission}.ts',
      'functions/flow-admission/{trials,words-of-trials}.ts',
      'functions/appwrapper-admission/{check-wrapper,complete-wrapper,decide,facts,wrapper-review}.ts',
      'functions/appwrapper-admission/decide/*.ts',
      'shared/api/wrapped/*.ts',
      'shared/api/work/submission/*.ts',
      'shared/policy/*.ts',
    ],
  },
  {
    name: 'hold',
    files: [
      'functions/suspend-admission/{check-mark,check-policy,check-queue,decide,look-up}.ts',
      'functions/suspend-admission/governed-kinds.ts',
      'shared/kueue/*.ts',
      'shared/domain/{field-error,queue-labels}.ts',
      'functions/suspend-admission/suspend-on-creation.ts',
      'functions/suspend-admission/{decide,look-up}/*.ts',
    ],
  },
  // Code at the border of a process; a simulated process has something of its own in its place.
  {
    name: 'transport',
    files: [
      'shared/kube/{watch-events,watch-lines}.ts',
      'shared/queue/{held-leases,stored-item}.ts',
      'functions/bridge/{sink,sink-settings}.ts',
      'functions/dispatcher/{deliver-http,find-cluster,verdicts}.ts',
      'shared/events/due-event.ts',
      'shared/runtime/function/{delivery-keys,event-work}.ts',
      'shared/runtime/http/in-flight-gate.ts',
    ],
  },
];

/** The files of a room, sorted. */
export function filesOf(root: string, { files }: Room): readonly string[] {
  const found = globSync([...files], { cwd: root });
  return found.filter((file) => !file.endsWith('.test.ts')).sort();
}
