import { labels } from '#shared/domain/labels.ts';
import { recordedSubmitter } from '#shared/domain/submitter.ts';
import type { TemplateOrigins } from '#shared/runtime/function/event-function.ts';
import { knownTemplates } from './decide/templates.ts';
import type { FlowSnapshot } from './snapshot.ts';

/** The JobTemplate that the Job of a step is made from, pinned or as it is now. */
export function templateOrigins(snapshot: FlowSnapshot): TemplateOrigins {
  const references = new Map(
    snapshot.flow.spec.flows.map(({ name, jobTemplateRef }) => [name, jobTemplateRef]),
  );
  const known = knownTemplates(snapshot);
  return ({ object: { metadata } }) => {
    const name = references.get(metadata.labels?.[labels.step] ?? '');
    if (name === undefined) return undefined;
    return { name, submitter: recordedSubmitter(known(name)?.submitter) };
  };
}
