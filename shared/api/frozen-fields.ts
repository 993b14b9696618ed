/** Fields of a JobFlow's spec that may not change once it has started (rule 16). */
export const frozenFields = [
  'flows',
  'globalParams',
  'shareVolumes',
  'shareVolumeMounts',
  'templatePolicy',
] as const;
