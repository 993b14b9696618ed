/** What an installation decides about AppWrappers, over which the annotations of each wrapper count. */
import { defaults, type FaultTolerance, graceCeilingMs } from './settings.ts';

export interface WrapperRules {
  readonly faults: FaultTolerance;
  /** The longest grace or pause that an annotation may ask for. */
  readonly graceCeilingMs: number;
  /** Of Pods whose template names no scheduler. Empty: the cluster's default. */
  readonly schedulerName: string;
  readonly nodeHealth: NodeHealth;
  /** Where Millrace is more patient than the original controller, be as impatient as it is. */
  readonly isStrict: boolean;
  /** Whether the count of resets begins anew with each admission. */
  readonly countsPerAdmission: boolean;
}

/** Nodes whose labels say that one of their resources is broken. */
export interface NodeHealth {
  /** Whether new Pods that want such a resource are kept away. */
  readonly keepsAway: boolean;
  /** Whether Pods that run there get their wrapper reset. */
  readonly resets: boolean;
  /** Of the preference against nodes that are merely suspicious, 1 to 100. */
  readonly preferenceWeight: number;
  readonly taints: readonly ResourceTaint[];
}

/** A node with this label is to be treated, by Pods that want the resource, as if it had this taint. */
export interface ResourceTaint {
  /** An extended resource, as `nvidia.com/gpu`. */
  readonly resource: string;
  readonly key: string;
  readonly value: string;
  readonly effect: 'PreferNoSchedule' | 'NoSchedule' | 'NoExecute';
}

const gpu = { resource: 'nvidia.com/gpu', key: 'autopilot.ibm.com/gpuhealth' };

/** Those of the original controller. */
export const defaultRules: WrapperRules = {
  faults: defaults,
  graceCeilingMs,
  schedulerName: '',
  nodeHealth: {
    keepsAway: true,
    resets: true,
    preferenceWeight: 50,
    taints: [
      { ...gpu, value: 'WARN', effect: 'PreferNoSchedule' },
      { ...gpu, value: 'TESTING', effect: 'NoSchedule' },
      { ...gpu, value: 'EVICT', effect: 'NoExecute' },
    ],
  },
  isStrict: false,
  countsPerAdmission: false,
};
