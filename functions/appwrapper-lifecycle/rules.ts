/** Settings of an installation for AppWrappers. The annotations of a wrapper override them. */
import { defaults, type FaultTolerance, graceCeilingMs } from './settings.ts';

export interface WrapperRules {
  readonly faults: FaultTolerance;
  /** The longest grace or pause that an annotation may request, milliseconds. */
  readonly graceCeilingMs: number;
  /** Scheduler of Pods whose template names none. Empty: the cluster's default. */
  readonly schedulerName: string;
  readonly nodeHealth: NodeHealth;
  /** True: be as impatient as the original controller, where Millrace is otherwise more patient. */
  readonly isStrict: boolean;
  /** Whether the count of resets starts again with each admission. */
  readonly countsPerAdmission: boolean;
}

/** Nodes whose labels mark one of their resources as broken. */
export interface NodeHealth {
  /** Whether new Pods that request such a resource are kept away. */
  readonly keepsAway: boolean;
  /** Whether a Pod on such a node causes a reset of its wrapper. */
  readonly resets: boolean;
  /** Weight of the preference against suspicious nodes, 1 to 100. */
  readonly preferenceWeight: number;
  readonly taints: readonly ResourceTaint[];
}

/** Pods that request the resource treat a node with this label as if it had this taint. */
export interface ResourceTaint {
  /** An extended resource, such as `nvidia.com/gpu`. */
  readonly resource: string;
  readonly key: string;
  readonly value: string;
  readonly effect: 'PreferNoSchedule' | 'NoSchedule' | 'NoExecute';
}

const gpu = { resource: 'nvidia.com/gpu', key: 'autopilot.ibm.com/gpuhealth' };

/** The defaults of the original controller. */
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
