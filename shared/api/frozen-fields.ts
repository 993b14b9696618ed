/** Fields of a JobFlow's spec that are frozen once it has started (rule 16). */
export const frozenFields = [
  'flows',
  'globalParams',
  'shareVolumes',
  'shareVolumeMounts',
  'templatePolicy',
] as const;

/** The permitted correction of a step. */
export const toCorrect =
  'when the flow has ended as Failed, the steps that failed or were skipped may be corrected, all but their names and dependencies';

export const managedByStays =
  'the controller of a flow cannot be changed; delete the flow first, or apply this under another name';
