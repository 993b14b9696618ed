import Type from 'typebox';

/** Settings for the permission by which a function creates Jobs. Spread into its schema. */
export const trustSettings = {
  trustNamespaces: Type.Boolean({
    env: ['MILLRACE_TRUST_NAMESPACES'],
    default: false,
    description:
      'Trust every user who may write JobFlows or DaemonJobs in a namespace: Jobs are created also where no submitter is recorded, because no webhook of flow-admission is registered. By default such an object creates nothing, and its condition Blocked says SubmitterUnknown.',
  }),
} as const;
