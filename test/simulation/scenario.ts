/** One run as data: everything that a seed chooses in advance. Plain JSON, so that it can be kept and shrunk. */
import type { FleetAction, FleetPlan } from './daemons/daemon-plans.ts';
import type { NightAction, NightPlan } from './policies/policy-plans.ts';
import type { WrapperAction, WrapperPlan } from './wrappers/wrapper-plans.ts';
import type { QueueAction, QueuePlan, QueuePriority } from './queues/queue-plans.ts';
import type { AdditionsPlan, Hindrance, PodPlan } from './pod-plans.ts';
import type { FaultSettings } from './world/faults.ts';
import type { LatencyProfile } from './world/latency.ts';

export interface StepPlan {
  readonly name: string;
  readonly after: readonly string[];
  /** So many attempts fail before one succeeds. */
  readonly failures: number;
  readonly retries: number;
  readonly backoffSeconds: number;
  readonly factor?: number;
  readonly capSeconds?: number;
  /** Running time of the Job, in milliseconds. */
  readonly runMs: number;
  readonly ttlSeconds?: number;
  /** The JobTemplate that it uses. Absent: its own template. */
  readonly template?: string;
  readonly startOn?: 'SuccessCriteriaMet';
  /** The obstacle to each of its attempts, with its duration in milliseconds. Absent: none. */
  readonly trouble?: Hindrance;
  /** Exit code of a failing attempt. Absent: its Pod is not shown. */
  readonly exitCode?: number;
  /** Its Pod. Absent: one container. */
  readonly pod?: PodPlan;
}

export interface FlowPlan {
  readonly name: string;
  readonly atMs: number;
  /** Dependencies first. */
  readonly steps: readonly StepPlan[];
  readonly failurePolicy?: 'FailFast' | 'CancelRunning';
  readonly templatePolicy?: 'ResolveAtStep';
  readonly suspendMode?: 'SchedulingOnly';
  readonly suspend?: boolean;
  readonly ttlSeconds?: number;
  readonly startDeadlineSeconds?: number;
  readonly parallelism?: number;
  readonly shutdown?: 'Stop' | 'Terminate';
  readonly deadlineSeconds?: number;
  /** Additions to every Job. Absent: none. */
  readonly adds?: AdditionsPlan;
  /** It waits in the queue of Kueue with this priority. Absent: it needs no quota. */
  readonly queue?: QueuePriority;
  /** Stored although it is invalid. */
  readonly poison?: boolean;
}

/** Initial errors of a machine's clocks. */
export interface ClockPlan {
  /** Lead of its wall clock, in milliseconds. */
  readonly offsetMs: number;
  /** Its clocks run too fast by this rate, in millionths. */
  readonly driftPpm: number;
}

export interface ClockPlans {
  /** Clocks of the processes' machines, by index modulo their number. */
  readonly processes: readonly ClockPlan[];
  readonly server: ClockPlan;
  /** Clock of the controllers' machine. */
  readonly controllers: ClockPlan;
  /** Clock of queue and journal. */
  readonly store: ClockPlan;
}

/** An event at a given time. `process` and `flow` are indexes, modulo their number. */
export type Happening =
  | {
      readonly kind: 'crash';
      readonly atMs: number;
      readonly process: number;
      readonly awayMs: number;
    }
  | {
      readonly kind: 'pause';
      readonly atMs: number;
      readonly process: number;
      readonly forMs: number;
    }
  | { readonly kind: 'rollout'; readonly atMs: number; readonly process: number }
  | {
      readonly kind: 'clockJump';
      readonly atMs: number;
      readonly process: number;
      readonly byMs: number;
    }
  /** The controllers' clock is set with it, as on one machine. */
  | { readonly kind: 'serverClockJump'; readonly atMs: number; readonly byMs: number }
  | { readonly kind: 'controllersClockJump'; readonly atMs: number; readonly byMs: number }
  | { readonly kind: 'flushAll'; readonly atMs: number }
  | { readonly kind: 'compaction'; readonly atMs: number }
  | { readonly kind: 'controllersAway'; readonly atMs: number; readonly forMs: number }
  | { readonly kind: 'nodeLost'; readonly atMs: number }
  /** Hits the leading bridge at that time, if there is one. */
  | { readonly kind: 'holderCrash'; readonly atMs: number; readonly awayMs: number }
  | { readonly kind: 'holderPause'; readonly atMs: number; readonly forMs: number }
  /** Queue and journal do not answer. Held items are lost when their locks have run out. */
  | { readonly kind: 'queueOutage'; readonly atMs: number; readonly forMs: number }
  /** Each answer of the API server is up to `byMs` later. */
  | {
      readonly kind: 'lateAnswers';
      readonly atMs: number;
      readonly forMs: number;
      readonly byMs: number;
    }
  | UserAction
  | FleetAction
  | NightAction
  | QueueAction
  | WrapperAction;

export const userActions = [
  'deleteFlow',
  'recreateFlow',
  'recreateLingering',
  'releaseLingering',
  'editAllowed',
  'editFrozen',
  'suspend',
  'resume',
  'deleteChild',
  'suspendChild',
  'relabelChild',
  'takeChildName',
  'createTemplate',
  'editTemplate',
  'deleteTemplate',
  'retry',
] as const;

/** Limits of a flow, corrections of a failed one, a foreign TTL; drawn separately from the others. */
export const limitActions = ['limit', 'mend', 'expireChild', 'shutdown', 'deadline'] as const;

export interface UserAction {
  readonly kind: (typeof userActions)[number] | (typeof limitActions)[number];
  readonly atMs: number;
  readonly flow: number;
  /** Index of one of several children, templates or wordings, modulo their number. */
  readonly choice: number;
}

export const clusterHappenings = [
  'crash',
  'pause',
  'rollout',
  'clockJump',
  'serverClockJump',
  'controllersClockJump',
  'flushAll',
  'compaction',
  'controllersAway',
  'nodeLost',
] as const;

/** They come in pairs, so that one meets the other's incomplete work (coincidences.ts). */
export const coincidingHappenings = [
  'holderCrash',
  'holderPause',
  'queueOutage',
  'lateAnswers',
] as const;

export interface Scenario {
  readonly seed: number;
  /** `together`: bridge, dispatcher and function in each process. `apart`: a process for each. */
  readonly layout: 'together' | 'apart';
  readonly replicas: 1 | 2;
  /** A Lease elects the publishing bridge. Absent: every bridge publishes. */
  readonly elects?: true;
  readonly latency: LatencyProfile;
  /** Most changes that a reflector hands over at once. */
  readonly batchLimit: number;
  readonly concurrency: number;
  /** Whether the API server validates, prunes and defaults by the schemas, which takes most of its time. */
  readonly checksSchemas: boolean;
  /** Whether functions record their decisions, and the records are replayed. */
  readonly records: boolean;
  /** Whether the Job controller also makes irrelevant writes while a Job runs. Absent: no. */
  readonly heartbeats?: true;
  /** Functions that run apart read the bridge's views. Absent: they ask the API server. */
  readonly storedViews?: true;
  readonly flows: readonly FlowPlan[];
  /** DaemonJobs and nodes. Absent: none. */
  readonly fleet?: FleetPlan;
  /** Suspend policies and independent Jobs. Absent: none. */
  readonly nights?: NightPlan;
  /** A queue of Kueue. Absent: Kueue is not installed. */
  readonly queues?: QueuePlan;
  /** Absent: none. */
  readonly wrappers?: readonly WrapperPlan[];
  /** The TTL of Jobs from a JobTemplate. */
  readonly templateTtlSeconds?: number;
  readonly faults: FaultSettings;
  readonly happenings: readonly Happening[];
  /** Absent: all are right at the start. */
  readonly clocks?: ClockPlans;
  /** From then on everything works and no user interferes, in virtual milliseconds. */
  readonly calmFromMs: number;
}

/** All of them, from start to end. */
export function clocksAreRight({ clocks, happenings }: Scenario): boolean {
  return clocks === undefined && !happenings.some(({ kind }) => kind.endsWith('lockJump'));
}
