/** Generated mutants that change nothing that anybody could see, with the reason. */
import type { Candidate } from './candidates.ts';

export interface Equivalent {
  readonly file: string;
  /** Text of the file, there exactly once. */
  readonly find: string;
  /** The same with the change in it. */
  readonly replacement: string;
  /** Why nothing can notice. */
  readonly reason: string;
}

export const equivalents: readonly Equivalent[] = [
  {
    file: 'functions/appwrapper-admission/decide/change.ts',
    find: 'return old === undefined ? [] : componentErrors(',
    replacement: 'return old === undefined ? ["Stryker was here"] : componentErrors(',
    reason: 'where their number differs they are not compared one by one',
  },
  {
    file: 'functions/appwrapper-admission/decide/change.ts',
    find: 'if (old === undefined) return [];',
    replacement: 'if (old === undefined) return ["Stryker was here"];',
    reason: 'where their number differs they are not compared one by one',
  },
  {
    file: 'functions/flow-admission/decide.ts',
    find: "resource.kind ?? 'template'}",
    replacement: 'resource.kind ?? ""}',
    reason: 'what misses a template is of a kind that has them',
  },
  {
    file: 'functions/flow-admission/words-of-trials.ts',
    find: 'replace(/^spec\\./',
    replacement: 'replace(/spec\\./',
    reason: 'only the first is replaced, and the path of a Job begins with it',
  },
  {
    file: 'shared/api/work/submission/job-template.ts',
    find: "apiVersion: 'api.practice.com/v1alpha1',",
    replacement: 'apiVersion: "",',
    reason: 'of the flow only its Jobs are looked at, without their owner',
  },
  {
    file: 'shared/api/work/submission/job-template.ts',
    find: "kind: 'JobFlow',",
    replacement: 'kind: "",',
    reason: 'of the flow only its Jobs are looked at, without their owner',
  },
  {
    file: 'shared/api/work/submission/remarks.ts',
    find: "mounts[0]?.source ?? '';",
    replacement: 'mounts[0]?.source ?? "Stryker was here!";',
    reason: 'there are at least two of them',
  },
  {
    file: 'shared/kueue/kueue-settings.ts',
    find: "labelSelectorSchema('Namespaces.');",
    replacement: 'labelSelectorSchema("");',
    reason: 'a description, and this schema is never shown',
  },
  {
    file: 'functions/dispatcher/dispatcher.ts',
    find: 'bound.then(() => false)',
    replacement: 'bound.then(() => undefined)',
    reason: 'the only reader asks whether it is true',
  },
  {
    file: 'functions/bridge/stored-views.ts',
    find: 'if (this.#isPaused || !this.#parts.leading()) return false;',
    replacement: 'if (this.#isPaused || !this.#parts.leading()) return true;',
    reason: 'nothing is written without a session, and none is begun there',
  },
  {
    file: 'functions/suspend-schedule/subscription/fingerprints.ts',
    find: "    [fieldsOf(spec)['active'] ?? true, fieldsOf(status)['conditions'] ?? []],\n    controllerOf(metadata)?.uid ?? '',",
    replacement:
      "    [fieldsOf(spec)['active'] ?? true, fieldsOf(status)['conditions'] ?? []],\n    controllerOf(metadata)?.uid ?? \"Stryker was here!\",",
    reason: 'a constant for no controller, that no uid equals',
  },
  {
    file: 'functions/bridge/sink-settings.ts',
    find: "else if (typeof value === 'string') setOwnMember(taken, name, value);",
    replacement: 'else if (true) setOwnMember(taken, name, value);',
    reason: 'what is no text has a fault, and was reported before',
  },
  {
    file: 'shared/api/template-names.ts',
    find: "typeof step?.jobTemplateRef === 'string' ? [step.jobTemplateRef] : [],",
    replacement:
      'typeof step?.jobTemplateRef === \'string\' ? [step.jobTemplateRef] : ["Stryker was here"],',
    reason: 'no JobTemplate can have that name, so it is never asked for',
  },
  {
    file: 'functions/bridge/leadership.ts',
    find: 'onLost: () => onChange(false),',
    replacement: 'onLost: () => undefined,',
    reason: 'the signal of the term aborts before anything else can happen, and reports it as well',
  },
  {
    file: 'functions/bridge/translate.ts',
    find: 'words.set(resource, made);',
    replacement: ';',
    reason: 'what is not remembered is made again, and the same',
  },
  {
    file: 'functions/bridge/union.ts',
    find: 'return left.length > right.length ? left : right;',
    replacement: 'return left.length >= right.length ? left : right;',
    reason: 'lists of one length do not come here',
  },
  {
    file: 'shared/api/template-names.ts',
    find: 'if (!Array.isArray(steps)) return [];',
    replacement: 'if (!Array.isArray(steps)) return ["Stryker was here"];',
    reason: 'no JobTemplate can have that name, so it is never asked for',
  },
  {
    file: 'shared/kube/object-view.ts',
    find: 'return this.#keys.get(uid) ?? [];',
    replacement: 'return this.#keys.get(uid) ?? ["Stryker was here"];',
    reason: 'no object has that key',
  },
  {
    file: 'shared/kube/reflector.ts',
    find: "known: this.#ledger.version ?? '',",
    replacement: 'known: this.#ledger.version ?? "Stryker was here!",',
    reason: 'a list is refused only where a version is known',
  },
  {
    file: 'shared/kube/reflector.ts',
    find: "resourceVersion: this.#ledger.version ?? '',",
    replacement: 'resourceVersion: this.#ledger.version ?? "Stryker was here!",',
    reason: 'a watch begins only after a list, whose version is known',
  },
  {
    file: 'shared/runtime/http/in-flight-gate.ts',
    find: 'this.#whenIdle.delete(onIdle);',
    replacement: ';',
    reason: 'a second call to a waiter that has gone on changes nothing',
  },
  {
    file: 'shared/queue/memory-room.ts',
    find: 'leftMs > 0 && !signal.aborted; leftMs',
    replacement: 'leftMs >= 0 && !signal.aborted; leftMs',
    reason: 'one more wait of no length',
  },
  {
    file: 'shared/queue/memory-room.ts',
    find: "case 'parked':\n        break;",
    replacement: "case 'parked':",
    reason: 'the last case ends the switch with a break or without',
  },
  {
    file: 'shared/domain/resource-version.ts',
    find: 'return a < b ? -1 : 1;',
    replacement: 'return a <= b ? -1 : 1;',
    reason: 'equal versions do not come here',
  },
  {
    file: 'shared/kube/watch-lines.ts',
    find: 'const line = pendingBytes === 0 ? tail',
    replacement: 'const line = false ? tail',
    reason: 'the same bytes, copied',
  },
  {
    file: 'functions/dispatcher/dispatcher.ts',
    find: 'onSettled: () => (progress.settled += 1),',
    replacement: 'onSettled: () => (progress.settled -= 1),',
    reason: 'the watchdog asks only whether the count is another one',
  },
  {
    file: 'shared/subscription/fingerprint.ts',
    find: 'return [metadata.generation ?? 0, metadata.deletionTimestamp !== undefined];',
    replacement: 'return [metadata.generation ?? 0, metadata.deletionTimestamp === undefined];',
    reason: 'a fingerprint is compared with another one and never read',
  },
  {
    file: 'shared/subscription/fingerprint.ts',
    find: 'startTime !== undefined,',
    replacement: 'startTime === undefined,',
    reason: 'a fingerprint is compared with another one and never read',
  },
  {
    file: 'functions/flow-advance/decide/status.ts',
    find: '...(flowsHash === undefined ? {} : { flowsHash }),',
    replacement: '...(false ? {} : { flowsHash }),',
    reason: 'an absent member of a status and one that is undefined make the same patch',
  },
  {
    file: 'functions/daemon-fanout/decide/status.ts',
    find: '...(specHash === undefined ? {} : { specHash }),',
    replacement: '...(false ? {} : { specHash }),',
    reason: 'an absent member of a status and one that is undefined make the same patch',
  },
  {
    file: 'shared/kube/apply-plan.ts',
    find: 'const version = resourceVersion === undefined ? {} : { resourceVersion };\n  const metadata',
    replacement: 'const version = false ? {} : { resourceVersion };\n  const metadata',
    reason: 'an absent member of a patch and one that is undefined make the same request',
  },
  {
    file: 'functions/bridge/bridge.ts',
    find: 'if (other !== watched) reflector.historyChanged();',
    replacement: 'if (true) reflector.historyChanged();',
    reason: 'the one that starts over forgets it again as soon as it has taken its list',
  },
  {
    file: 'functions/flow-advance/observe/needs.ts',
    find: '.map(({ name }) => name) : []);',
    replacement: '.map(({ name }) => name) : ["Stryker was here"]);',
    reason: 'no JobTemplate can have that name, so none is left out for it',
  },
  {
    file: 'shared/parents/child-ttl.ts',
    find: "annotations.ttlSecondsAfterFinished] ?? '';",
    replacement: 'annotations.ttlSecondsAfterFinished] ?? "Stryker was here!";',
    reason: 'a number of seconds is neither of them',
  },
  {
    file: 'functions/flow-advance/decide/refusals.ts',
    find: 'if (situation.rejections.size === 0) return steps;',
    replacement: 'if (false) return steps;',
    reason: 'without a refusal no step is found to be refused',
  },
  {
    file: 'shared/views/stored-view-reader.ts',
    find: "const [oldest = ''] = this.#remembered.keys();",
    replacement: 'const [oldest = "Stryker was here!"] = this.#remembered.keys();',
    reason: 'there are more than so many keys by then, so the first one is there',
  },
  {
    file: 'functions/bridge/sink-settings.ts',
    find: '...(authorities === undefined ? {} : { authorities }) };',
    replacement: '...(false ? {} : { authorities }) };',
    reason: 'the sink, who alone reads it, takes authorities that are undefined for absent ones',
  },
  {
    file: 'shared/api/work/submission/remarks.ts',
    find: '.flatMap((mounts) => mounts ?? [])',
    replacement: '.flatMap((mounts) => mounts ?? ["Stryker was here"])',
    reason: 'a text has no name, so nothing more counts as mounted',
  },
  {
    file: 'functions/flow-admission/decide.ts',
    find: 'faults.length > 0 ? { children: [], faults: [] }',
    replacement: 'faults.length > 0 ? { children: ["Stryker was here"], faults: [] }',
    reason: 'what has faults is refused for them before its children are looked at',
  },
  {
    file: 'functions/flow-admission/decide.ts',
    find: "${meanings?.get(name) ?? ''}`),",
    replacement: '${meanings?.get(name) ?? "Stryker was here!"}`),',
    reason: 'only nodes of which the object says what they mean are looked for',
  },
  {
    file: 'functions/daemon-fanout/decide/findings.ts',
    find: "const { reason, message = '' } = noNodes",
    replacement: 'const { reason, message = "Stryker was here!" } = noNodes',
    reason: 'where there is a reason there is a message',
  },
  {
    file: 'functions/daemon-fanout/decide/findings.ts',
    find: "const { reason = '', message = '' } = summary",
    replacement: `const { reason = "Stryker was here!", message = '' } = summary`,
    reason: 'what is suspended has always a reason',
  },
  {
    file: 'functions/daemon-fanout/decide/findings.ts',
    find: "const { reason = '', message = '' } = summary",
    replacement: `const { reason = '', message = "Stryker was here!" } = summary`,
    reason: 'what is suspended has always a message',
  },
  {
    file: 'shared/parents/conditions.ts',
    find: "{ state, reason = '', message = '' }: Summary",
    replacement: `{ state, reason = "Stryker was here!", message = '' }: Summary`,
    reason: 'what has failed has always a reason',
  },
  {
    file: 'shared/parents/conditions.ts',
    find: "{ state, reason = '', message = '' }: Summary",
    replacement: `{ state, reason = '', message = "Stryker was here!" }: Summary`,
    reason: 'what has failed has always a message',
  },
  {
    file: 'functions/suspend-admission/decide/admission-gates.ts',
    find: "const [host = '', ...rest]",
    replacement: 'const [host = "Stryker was here!", ...rest]',
    reason: 'what a text is split into has always a first part',
  },
  {
    file: 'shared/domain/field-error.ts',
    find: "(listed[0] ?? '')",
    replacement: '(listed[0] ?? "Stryker was here!")',
    reason: 'the only one of a list of one is there',
  },
  {
    file: 'shared/policy/pod-policy.ts',
    find: "split(':', 1)[0] ?? '';",
    replacement: 'split(\':\', 1)[0] ?? "Stryker was here!";',
    reason: 'what a text is split into has always a first part',
  },
  {
    file: 'functions/suspend-schedule/decide/turns.ts',
    find: 'left.place < right.place',
    replacement: 'left.place <= right.place',
    reason: 'no two have the same place',
  },
  {
    file: 'functions/suspend-schedule/decide/turns.ts',
    find: "const overdue = 'overdue';",
    replacement: 'const overdue = "";',
    reason: 'it is only to be none of the priorities, which are numbers',
  },
  {
    file: 'functions/suspend-schedule/decide/turns.ts',
    find: "{ group = '' }",
    replacement: '{ group = "Stryker was here!" }',
    reason: 'no group has that name, as none has an empty one',
  },
  {
    file: 'functions/suspend-schedule/decide/placement.ts',
    find: '...(affinity === undefined ? {} : { nodeAffinity: affinity }),',
    replacement: '...(false ? {} : { nodeAffinity: affinity }),',
    reason: 'an affinity that is undefined is compared and written as one that is absent',
  },
  {
    file: 'shared/suspension/governed-object.ts',
    find: 'known.set(object, found);',
    replacement: ';',
    reason: 'what is not remembered is read again, and the same',
  },
  {
    file: 'shared/suspension/governed-object.ts',
    find: "createdAt: metadata.creationTimestamp ?? '',",
    replacement: 'createdAt: metadata.creationTimestamp ?? "Stryker was here!",',
    reason: 'stored objects have the time of their creation, and it is not read from others',
  },
  {
    file: 'functions/daemon-fanout/decide/summary.ts',
    find: "state === 'Waiting' && isBlocked === true",
    replacement: 'true && isBlocked === true',
    reason: 'nothing is blocked but what waits',
  },
  {
    file: 'functions/suspend-schedule/subscription/fingerprints.ts',
    find: 'return [generation, deletionTimestamp !== undefined];',
    replacement: 'return [generation, deletionTimestamp === undefined];',
    reason: 'a fingerprint is compared with others of its kind only, and they differ when they did',
  },
];

/** The mark of a candidate whose file `original` is, if it has one. */
export function markOf(candidate: Candidate, original: string): Equivalent | undefined {
  return equivalents.find(
    ({ file, find, replacement }) =>
      file === candidate.file &&
      // Whole files are compared only where the change itself may be the one.
      plain(replacement).includes(plain(candidate.replacement)) &&
      plain(original.replace(find, () => replacement)) === plain(candidate.source),
  );
}

/** Without blanks and the brackets that keep an operator together in its new place. */
function plain(source: string): string {
  return source.replace(/[\s()]/g, '');
}
