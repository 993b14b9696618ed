import Type from 'typebox';

/** On whose word a function creates Jobs; spread into its schema. */
export const trustSettings = {
  trustNamespaces: Type.Boolean({
    env: ['MILLRACE_TRUST_NAMESPACES'],
    default: false,
    description:
      'Trust every user who may write JobFlows or DaemonJobs in a namespace: Jobs are created also where no submitter is recorded, because no webhook of flow-admission is registered. By default such an object creates nothing, and its condition Blocked says SubmitterUnknown.',
  }),
  ownNamespace: Type.Optional(
    Type.String({
      env: ['MILLRACE_NAMESPACE'],
      pattern: '^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$',
      description:
        'Namespace of the processes of Millrace. Nothing is run there, nor in kube-system, kube-node-lease and kube-public, unless MILLRACE_SERVED_NAMESPACE names it.',
    }),
  ),
} as const;
