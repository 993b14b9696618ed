/**
 * CEL rules about more than one field of a JobFlow. The API server enforces them by a policy, without a
 * webhook. `job-flow-rules.ts` holds the same rules for Millrace's own validator. `transformMapEntry`
 * needs Kubernetes 1.33. With it, looking up a name costs one unit; searching the list would exceed the
 * cost limit of a call (1,000,000).
 */
import { every, wordsWithin } from './cel-every.ts';
import type { CelRule } from './field.ts';
import { frozenFields, managedByStays, toCorrect } from './frozen-fields.ts';
import { frozenOnceStarted } from './frozen-rule.ts';
import { maxDependencies } from './step.ts';

/** Length of `-r99`, for the last attempt in the name of a Job (63 characters, its `job-name` label). */
const room = '4';

/** Binds `names` to the set of step names for `body`. */
const withNames = (body: string) =>
  `[self.flows.transformMapEntry(i, f, {f.name: true})].map(names, ${body})[0]`;

const dependsOnNone = 'a step depends on a step that does not exist';

export const specRules: readonly CelRule[] = [
  {
    rule: `self.flows.map(f, has(f.dependencies), size(f.dependencies)).sum() <= ${maxDependencies}`,
    message: `all steps together have at most ${maxDependencies} dependencies`,
  },
  {
    rule: withNames(
      every('self.flows', 'f', {
        guard: 'has(f.dependencies)',
        body: every('f.dependencies', 'd', { body: 'd in names' }),
      }),
    ),
    messageExpression: wordsWithin(
      'self.flows',
      withNames(
        'self.flows.map(f, has(f.dependencies) && f.dependencies.exists(d, !(d in names)), f.dependencies.map(d, !(d in names), "step \\"%s\\" depends on \\"%s\\", which is no step of this flow".format([f.name, d]))[0])[0]',
      ),
      dependsOnNone,
    ),
    message: dependsOnNone,
  },
  {
    rule: `!has(self.shareVolumes) || ${every('self.flows', 'f', {
      guard: 'has(f.shareVolumes)',
      body: 'f.shareVolumes.all(v, self.shareVolumes.all(w, v.name != w.name || dyn(v) == dyn(w)))',
    })}`,
    message: 'a step names a volume as spec.shareVolumes does and gives it another source',
  },
];

/** Steps that may be corrected, as a set. `correctableSteps` is the same rule. */
const correctable =
  '(has(oldSelf.status) && has(oldSelf.status.state) && has(oldSelf.status.jobStatusList) ? oldSelf.status.jobStatusList : []).filter(r, oldSelf.status.state == "Failed" && (r.state == "Failed" || r.state == "Skipped")).transformMapEntry(i, r, {r.name: true})';

const sameDependencies =
  'has(f.dependencies) == has(before[f.name].dependencies) && (!has(f.dependencies) || f.dependencies == before[f.name].dependencies)';

/** Steps may change their order, and correctable ones keep their names and dependencies. */
const sameSteps = `size(self.spec.flows) == size(oldSelf.spec.flows) && [oldSelf.spec.flows.transformMapEntry(i, f, {f.name: f})].all(before, [${correctable}].all(open, ${every(
  'self.spec.flows',
  'f',
  { body: `f.name in before && (f == before[f.name] || (f.name in open && ${sameDependencies}))` },
)}))`;
const sameFlows = `(self.spec.flows == oldSelf.spec.flows || (${sameSteps}))`;

const frozenRule = frozenOnceStarted('flow', frozenFields, { flows: sameFlows }, `; ${toCorrect}`);

const tooLong =
  'flow name and step name together are too long: a Job name has at most 63 characters';

export const rootRules: readonly CelRule[] = [
  {
    rule: every('self.spec.flows', 'f', {
      body: `size(self.metadata.name) + 1 + size(f.name) + ${room} <= 63`,
    }),
    messageExpression: wordsWithin(
      'self.spec.flows',
      `self.spec.flows.map(f, size(self.metadata.name) + 1 + size(f.name) + ${room} > 63, "Job names have at most 63 characters, and ${room} are kept for -r99 of a later attempt: the flow name has %d, the name of step \\"%s\\" has %d".format([size(self.metadata.name), f.name, size(f.name)]))[0]`,
      tooLong,
    ),
    message: tooLong,
  },
  {
    rule: every('self.spec.flows', 'f', {
      guard:
        "has(f.jobTemplate) && has(f.jobTemplate.completionMode) && f.jobTemplate.completionMode == 'Indexed' && has(f.jobTemplate.completions)",
      body: `size(self.metadata.name) + 1 + size(f.name) + ${room} + 1 + size(string(f.jobTemplate.completions - 1)) <= 63`,
    }),
    message:
      'flow name and step name together are too long for an Indexed Job: its Pods are named <flow>-<step>-r99-<index>, at most 63 characters',
  },
  frozenRule,
  {
    rule: 'has(self.spec.managedBy) == has(oldSelf.spec.managedBy) && (!has(self.spec.managedBy) || self.spec.managedBy == oldSelf.spec.managedBy)',
    message: `spec.managedBy: ${managedByStays}`,
  },
];
