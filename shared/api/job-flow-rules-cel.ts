/**
 * CEL rules that need more than one field of a JobFlow. The API server enforces them with no webhook
 * running; `job-flow-rules.ts` holds the same rules for our own validator. `transformMapEntry` needs
 * Kubernetes 1.33: it makes the look-up of a name cost one unit, where a search through the list
 * would exceed the cost limit of a call (1,000,000) at about 60 densely connected steps.
 */
import type { CelRule } from './field.ts';
import { frozenFields } from './frozen-fields.ts';

/** `-r99`: room for the last attempt in the name of a Job (63 characters, its `job-name` label). */
const room = '4';

/** Binds `names` to the set of step names and evaluates `body` with it. */
const withNames = (body: string) =>
  `[self.flows.transformMapEntry(i, f, {f.name: true})].map(names, ${body})[0]`;

export const specRules: readonly CelRule[] = [
  {
    rule: withNames('self.flows.all(f, !has(f.dependencies) || f.dependencies.all(d, d in names))'),
    messageExpression: withNames(
      'self.flows.map(f, has(f.dependencies) && f.dependencies.exists(d, !(d in names)), f.dependencies.map(d, !(d in names), "step \\"%s\\" depends on \\"%s\\", which is no step of this flow".format([f.name, d]))[0])[0]',
    ),
    message: 'a step depends on a step that does not exist',
    fieldPath: '.flows',
  },
  {
    rule: '!has(self.shareVolumes) || self.flows.all(f, !has(f.shareVolumes) || f.shareVolumes.all(v, self.shareVolumes.all(w, v.name != w.name || dyn(v) == dyn(w))))',
    message: 'a step names a volume as spec.shareVolumes does and gives it another source',
    fieldPath: '.flows',
  },
];

const same = (name: string) =>
  `(has(self.spec.${name}) == has(oldSelf.spec.${name}) && (!has(self.spec.${name}) || self.spec.${name} == oldSelf.spec.${name}))`;

/** Equality of a list-map does not see the order, and of variables the order matters. */
const params = 'spec.globalParams';
const sameOrderOfEnv = `(!has(self.${params}) || !has(oldSelf.${params}) || !has(self.${params}.env) || !has(oldSelf.${params}.env) || self.${params}.env.map(e, e.name) == oldSelf.${params}.env.map(e, e.name))`;

/** One rule for all fields: it runs at every status write, and each rule of its own costs about as much. */
const frozenRule: CelRule = {
  rule: [
    '!has(oldSelf.status) || !has(oldSelf.status.startTime)',
    `(${[...frozenFields.map(same), sameOrderOfEnv].join(' && ')})`,
  ].join(' || '),
  messageExpression: `"frozen once the flow has started: %s; delete the flow first, or apply this under another name".format([[${frozenFields
    .map((name) => `${same(name)} ? "" : "${name}"`)
    .join(', ')}, ${sameOrderOfEnv} ? "" : "order of env"].filter(name, name != "")])`,
  message: `frozen once the flow has started: ${frozenFields.join(', ')}`,
  fieldPath: '.spec',
  reason: 'FieldValueForbidden',
};

export const rootRules: readonly CelRule[] = [
  {
    rule: `self.spec.flows.all(f, size(self.metadata.name) + 1 + size(f.name) + ${room} <= 63)`,
    messageExpression: `self.spec.flows.map(f, size(self.metadata.name) + 1 + size(f.name) + ${room} > 63, "Job names have at most 63 characters, and ${room} are kept for -r99 of a later attempt: the flow name has %d, the name of step \\"%s\\" has %d".format([size(self.metadata.name), f.name, size(f.name)]))[0]`,
    message: 'flow name and step name together are too long: a Job name has at most 63 characters',
    fieldPath: '.spec.flows',
  },
  {
    rule: `self.spec.flows.all(f, !has(f.jobTemplate) || !has(f.jobTemplate.completionMode) || f.jobTemplate.completionMode != 'Indexed' || !has(f.jobTemplate.completions) || size(self.metadata.name) + 1 + size(f.name) + ${room} + 1 + size(string(f.jobTemplate.completions - 1)) <= 63)`,
    message:
      'flow name and step name together are too long for an Indexed Job: its Pods are named <flow>-<step>-r99-<index>, at most 63 characters',
    fieldPath: '.spec.flows',
  },
  frozenRule,
];
