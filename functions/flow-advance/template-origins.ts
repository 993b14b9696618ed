import { annotations, labels } from '#shared/domain/labels.ts';
import { ownMember } from '#shared/domain/own-member.ts';
import { recordedSubmitter } from '#shared/domain/submitter.ts';
import type { TemplateOrigins } from '#shared/runtime/function/event-function.ts';
import type { FlowSnapshot } from './snapshot.ts';

/**
 * The JobTemplate that the Job of a step is made from, pinned or current. The hash on the Job identifies
 * it, so this does not repeat the rule that chose it.
 */
export function templateOrigins({ flow, templates }: FlowSnapshot): TemplateOrigins {
  const references = new Map(
    flow.spec.flows.map(({ name, jobTemplateRef }) => [name, jobTemplateRef]),
  );
  const pins = new Map((flow.status?.pinnedTemplates ?? []).map((pin) => [pin.name, pin]));
  return ({ object: { metadata } }) => {
    const name = references.get(metadata.labels?.[labels.step] ?? '');
    if (name === undefined) return undefined;
    const hash = metadata.annotations?.[annotations.templateHash];
    const source = [ownMember(templates, name), pins.get(name)].find((each) => each?.hash === hash);
    return { name, submitter: recordedSubmitter(source?.submitter) };
  };
}
