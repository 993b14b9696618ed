import type { JobTemplateObject } from '#shared/api/job-template.ts';
import { contentHash } from '#shared/domain/hash.ts';
import { asUid, type NewObject } from '#shared/domain/objects.ts';
import { ownMember, setOwnMember } from '#shared/domain/own-member.ts';
import { resources } from '#shared/domain/resources.ts';
import type { FlowSnapshot, ObservedTemplate } from './snapshot.ts';

/** The snapshot as if this JobTemplate existed with this content: as read, and as pinned. */
export function assuming(snapshot: FlowSnapshot, object: NewObject): FlowSnapshot {
  const { flow, templates } = snapshot;
  const { name, namespace = flow.metadata.namespace } = object.metadata;
  if (object.kind !== resources.JobTemplate.kind) return snapshot;
  if (namespace !== flow.metadata.namespace) return snapshot;
  const { jobTemplate } = (object as JobTemplateObject).spec;
  const content = { hash: contentHash(jobTemplate), jobTemplate };
  const pinned = flow.status?.pinnedTemplates?.map((pin) =>
    pin.name === name ? { ...pin, ...content } : pin,
  );
  const seen = ownMember(templates, name);
  const isPinned = pinned?.some((pin, index) => pin !== flow.status?.pinnedTemplates?.[index]);
  if (seen === undefined && isPinned !== true) return snapshot;
  const read: Record<string, ObservedTemplate | null> = { ...templates };
  if (seen !== undefined) {
    setOwnMember(read, name, { ...(seen ?? { name, uid: asUid(''), generation: 1 }), ...content });
  }
  const status = { ...flow.status, ...(pinned === undefined ? {} : { pinnedTemplates: pinned }) };
  return {
    ...snapshot,
    templates: read,
    ...(isPinned === true ? { flow: { ...flow, status } } : {}),
  };
}
