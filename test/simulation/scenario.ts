/** One run as data: all that a seed decides beforehand. Plain JSON, so that it can be kept and shrunk. */
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
  /** So many attempts fail; the next one succeeds. */
  readonly failures: number;
  readonly retries: number;
  readonly backoffSeconds: number;
  readonly factor?: number;
  readonly capSeconds?: number;
  /** How long the Job runs, in milliseconds. */
  readonly runMs: number;
  readonly ttlSeconds?: number;
  /** The JobTemplate that it refers to. Absent: a template of its own. */
  readonly template?: string;
  readonly startOn?: 'SuccessCriteriaMet';
  /** What holds each of its attempts up, and for how long in milliseconds. Absent: nothing. */
  readonly trouble?: Hindrance;
  /** With which an attempt that fails exits. Absent: nobody sees its Pod. */
  readonly exitCode?: number;
  /** What it says of its Pod. Absent: one container. */
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
  /** What it adds to every Job. Absent: nothing. */
  readonly adds?: AdditionsPlan;
  /** It waits in the queue of Kueue, and so much it matters there. Absent: it waits for no quota. */
  readonly queue?: QueuePriority;
  /** Stored although nobody can run it. */
  readonly poison?: boolean;
}

/** How a machine's clocks are wrong from the start. */
export interface ClockPlan {
  /** How far ahead its wall clock is, in milliseconds. */
  readonly offsetMs: number;
  /** By how much its clocks go too fast, in millionths. */
  readonly driftPpm: number;
}

export interface ClockPlans {
  /** Of the machines that the processes run on; by index, taken modulo what there is. */
  readonly processes: readonly ClockPlan[];
  readonly server: ClockPlan;
  /** Of the machine that the cluster's controllers run on. */
  readonly controllers: ClockPlan;
  /** Of queue and journal. */
  readonly store: ClockPlan;
}

/** What happens at a given time. `process` and `flow` are indexes, taken modulo what there is. */
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
  /** Of the bridge that leads then; nothing when none does. */
  | { readonly kind: 'holderCrash'; readonly atMs: number; readonly awayMs: number }
  | { readonly kind: 'holderPause'; readonly atMs: number; readonly forMs: number }
  /** Queue and journal answer nobody; what was held is lost when its locks have run out. */
  | { readonly kind: 'queueOutage'; readonly atMs: number; readonly forMs: number }
  /** Each answer of the API server comes later, by up to `byMs`. */
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

/** Bounds of a flow, corrections of one that has failed, a TTL of somebody else; drawn apart from the others. */
export const limitActions = ['limit', 'mend', 'expireChild', 'shutdown', 'deadline'] as const;

export interface UserAction {
  readonly kind: (typeof userActions)[number] | (typeof limitActions)[number];
  readonly atMs: number;
  readonly flow: number;
  /** Which of several children, templates or wordings; taken modulo what there is. */
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

/** They come in twos, so that one meets what the other has left (coincidences.ts). */
export const coincidingHappenings = [
  'holderCrash',
  'holderPause',
  'queueOutage',
  'lateAnswers',
] as const;

export interface Scenario {
  readonly seed: number;
  /** `together`: bridge, dispatcher and function in each process; `apart`: a process for each. */
  readonly layout: 'together' | 'apart';
  readonly replicas: 1 | 2;
  /** A Lease elects the bridge that publishes. Absent: each of them does. */
  readonly elects?: true;
  readonly latency: LatencyProfile;
  /** Changes that a reflector hands over at once. */
  readonly batchLimit: number;
  readonly concurrency: number;
  /** Whether the API server checks, prunes and defaults by the schemas, which takes most of its time. */
  readonly checksSchemas: boolean;
  /** Whether functions record their decisions, and the records are replayed. */
  readonly records: boolean;
  /** Whether the Job controller writes what nobody has to hear of, while a Job runs. Absent: not. */
  readonly heartbeats?: true;
  /** Functions that run apart read what the bridge keeps for them. Absent: they ask the API server. */
  readonly storedViews?: true;
  readonly flows: readonly FlowPlan[];
  /** DaemonJobs and nodes. Absent: there are none. */
  readonly fleet?: FleetPlan;
  /** Suspend policies and Jobs of others. Absent: there are none. */
  readonly nights?: NightPlan;
  /** A queue of Kueue. Absent: Kueue is not installed. */
  readonly queues?: QueuePlan;
  /** Absent: there are none. */
  readonly wrappers?: readonly WrapperPlan[];
  /** Of the Jobs that run from a JobTemplate. */
  readonly templateTtlSeconds?: number;
  readonly faults: FaultSettings;
  readonly happenings: readonly Happening[];
  /** Absent: they are all right at the start. */
  readonly clocks?: ClockPlans;
  /** From here on everything works and nobody interferes, in virtual milliseconds. */
  readonly calmFromMs: number;
}

/** All of them, from the beginning to the end. */
export function clocksAreRight({ clocks, happenings }: Scenario): boolean {
  return clocks === undefined && !happenings.some(({ kind }) => kind.endsWith('lockJump'));
}
