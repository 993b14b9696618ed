/** The admissions of one process, as data. Its manifests, `millrace run` and `millrace up` derive from it. */
import type { Static, TObject } from 'typebox';
import type { Admission } from '#shared/admission/admission.ts';
import type { AccessRule } from '#shared/domain/access-rule.ts';
import type { WaitingClock } from '#shared/domain/clock.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import type { PodPolicy } from '#shared/policy/pod-policy.ts';
import type { Logger } from '../process/telemetry.ts';
import type { admissionSettings } from './admission-settings.ts';

export type CommonSettings = TObject<typeof admissionSettings>;

/** Without the common settings and the policy, which the host reads. */
type OwnSettings<Schema extends CommonSettings> = Omit<
  Static<Schema>,
  keyof Static<CommonSettings> | 'policy'
>;

/** A method, so that a list may hold processes with different settings. */
export interface AdmissionProcess<Schema extends CommonSettings = CommonSettings> {
  /** Name of the process and its folder. */
  readonly name: string;
  readonly admissions: readonly Admission[];
  readonly access: readonly AccessRule[];
  readonly schema: Schema;
  /**
   * The sources that the admissions read beside the cluster. Throws MR_CONFIG_INVALID for faults that the schema cannot
   * express.
   */
  services(environment: ServiceEnvironment<OwnSettings<Schema>>): Services;
}

export interface ServiceEnvironment<Settings> {
  /** Absent: the defaults. */
  readonly settings?: Settings;
  readonly clock: WaitingClock;
  /** The namespace of its Pod. Absent: it has no Pod, or shares a process with others. */
  readonly ownNamespace?: string;
  /** The rules on what Pods may not use. */
  readonly policy: PodPolicy;
}

export interface Services {
  readonly known: object;
  /** Follows the needed objects until `signal` aborts. Absent: none. Never rejects. */
  readonly follow?: (parts: FollowParts, signal: AbortSignal) => Promise<void>;
}

export interface FollowParts {
  readonly client: KubeClient;
  readonly logger: Logger;
  /** The only namespace that is served. Absent: all. */
  readonly namespace?: string;
}
