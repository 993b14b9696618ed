/** The pinned templates of a flow, without those that flow-advance did not write. */
import { jobFlowDefaults, type JobFlow } from '#shared/api/job-flow.ts';
import type { PinnedTemplate } from '#shared/api/job-flow-status.ts';
import { pendingRetry } from '#shared/parents/manual-retry.ts';
import { jsonEqual } from '#shared/domain/merge-patch.ts';
import { ownMember } from '#shared/domain/own-member.ts';
import type { FlowSnapshot, ReplacedPin } from '../snapshot.ts';
import type { PinSeal } from './pin-seal.ts';

export interface ProvenPins {
  readonly flow: JobFlow;
  readonly unproven: readonly PinnedTemplate[];
}

/** Pins of a flow that runs nothing any more are not checked. */
export function withProvenPins(flow: JobFlow, seal: PinSeal): ProvenPins {
  const { metadata, status } = flow;
  const pins = status?.pinnedTemplates ?? [];
  if (pins.length === 0 || !pinsTemplates(flow) || isOver(flow)) return { flow, unproven: [] };
  const unproven = pins.filter((pin) => !seal.holds(metadata.uid, pin));
  if (unproven.length === 0) return { flow, unproven };
  const pinnedTemplates = pins.filter((pin) => !unproven.includes(pin));
  return { flow: { ...flow, status: { ...status, pinnedTemplates } }, unproven };
}

export function pinsTemplates({ spec }: JobFlow): boolean {
  return (spec.templatePolicy ?? jobFlowDefaults.templatePolicy) === 'PinAtStart';
}

function isOver({ metadata, status }: JobFlow): boolean {
  if (metadata.deletionTimestamp !== undefined) return true;
  const isEnded = status?.state === 'Succeed' || status?.state === 'Failed';
  return isEnded && pendingRetry(metadata, status) === undefined;
}

/** Unproven pins whose steps now run something other than the pin said. */
export function replacedPins(
  unproven: readonly PinnedTemplate[],
  templates: FlowSnapshot['templates'],
): readonly ReplacedPin[] {
  return unproven.flatMap(({ name, uid, generation, jobTemplate }) => {
    const now = ownMember(templates, name) ?? undefined;
    const isSame =
      now?.uid === uid && now.generation === generation && jsonEqual(now.jobTemplate, jobTemplate);
    if (isSame) return [];
    return [{ name, ...(now === undefined ? {} : { generation: now.generation }) }];
  });
}
