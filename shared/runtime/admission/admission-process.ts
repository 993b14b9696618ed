/** Admissions that one process answers, as data: its manifests, `millrace run` and `millrace up` derive from it. */
import type { Static, TObject } from 'typebox';
import type { Admission } from '#shared/admission/admission.ts';
import type { AccessRule } from '#shared/domain/access-rule.ts';
import type { WaitingClock } from '#shared/domain/clock.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import type { PodPolicy } from '#shared/policy/pod-policy.ts';
import type { Logger } from '../process/telemetry.ts';
import type { admissionSettings } from './admission-settings.ts';

export type CommonSettings = TObject<typeof admissionSettings>;

/** Beside what is common to all and the policy, which its host reads. */
type OwnSettings<Schema extends CommonSettings> = Omit<
  Static<Schema>,
  keyof Static<CommonSettings> | 'policy'
>;

/** Lists make no demands on their members' settings: hence a method. */
export interface AdmissionProcess<Schema extends CommonSettings = CommonSettings> {
  /** Of the process, and of its folder. */
  readonly name: string;
  readonly admissions: readonly Admission[];
  readonly access: readonly AccessRule[];
  readonly schema: Schema;
  /** What the admissions look up in beside the cluster. Throws MR_CONFIG_INVALID for what the schema cannot say. */
  services(told: Told<OwnSettings<Schema>>): Services;
}

export interface Told<Settings> {
  /** Absent: the defaults. */
  readonly settings?: Settings;
  readonly clock: WaitingClock;
  /** Of the Pod that it runs in. Absent: it runs in none, or is hosted with others. */
  readonly ownNamespace?: string;
  /** What is refused in Pods. */
  readonly policy: PodPolicy;
}

export interface Services {
  readonly known: object;
  /** What is known by following it, until `signal` aborts. Absent: nothing. Never rejects. */
  readonly follow?: (parts: FollowParts, signal: AbortSignal) => Promise<void>;
}

export interface FollowParts {
  readonly client: KubeClient;
  readonly logger: Logger;
  /** The only namespace that is served. Absent: all. */
  readonly namespace?: string;
}
