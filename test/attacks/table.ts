/**
 * The attacks and bad inputs that Millrace has to survive, by number. A row without `open` is safe:
 * at least one test carries its number in front of its title (`#07 ...`), and all of those pass. A
 * row with `open` says what it waits for and has no test yet. The list of open rows only shrinks.
 */
export interface Attack {
  readonly attack: string;
  /** The required outcome. */
  readonly outcome: string;
  /** The reason why there is no test yet. */
  readonly open?: string;
}

export const attacks: Readonly<Record<number, Attack>> = {
  1: {
    attack: 'a cycle of dependencies; a step that depends on itself',
    outcome: 'refused, or failed with the cycle in its condition; no Job',
  },
  2: {
    attack: '100,000 steps, or a million dependencies',
    outcome: 'refused by the schema; nothing is decided',
  },
  3: {
    attack: 'step names that repeat, or only look alike',
    outcome: 'refused: lower-case DNS labels only, each once',
  },
  4: {
    attack: 'a dependency or a JobTemplate that does not exist',
    outcome: 'refused, or waiting with the reason; goes on when it appears',
  },
  5: {
    attack: 'names whose child would be longer than 63 characters',
    outcome: 'a deterministic hash; still unique, no label refused',
  },
  6: {
    attack: 'two flows whose names and steps concatenate to one name',
    outcome: 'never the Job of the other one: reported as a conflict of names',
  },
  7: {
    attack: 'a foreign Job under the expected name',
    outcome: 'not adopted, its status not believed; condition NameConflict',
  },
  8: {
    attack: 'labels or owner references of a child changed to join another flow',
    outcome: 'only the owner by uid counts',
  },
  9: {
    attack: 'a user writes the status of a child Job',
    outcome: 'takes the right to write jobs/status, which no role of ours grants',
  },
  10: {
    attack: 'owner references, in what a user writes, to a foreign or cluster-scoped object',
    outcome: 'every child has one owner: its flow',
  },
  11: {
    attack: 'a foreign namespace in a template',
    outcome: 'everything is created beside the flow, or refused',
  },
  12: {
    attack: 'a privileged Pod where Pod Security forbids it',
    outcome: 'refused by the cluster, reported in the status, not tried in a hurry',
  },
  13: {
    attack: 'a service account that the submitter may not use',
    outcome: 'refused',
  },
  14: {
    attack: 'a parameter that changes the security context after approval',
    outcome: 'the merged template is judged again',
  },
  15: {
    attack: 'node names, tolerations and priority classes of the control plane',
    outcome: 'refused unless listed',
  },
  16: {
    attack: 'schedulerName, finalizers or managedBy slipped into a template',
    outcome: 'stripped or refused',
  },
  17: {
    attack: 'an AppWrapper with a RoleBinding, webhook, CRD or Secret in it',
    outcome: 'refused unless listed and permitted to the submitter',
  },
  18: {
    attack: 'generateName, status or resourceVersion in a wrapped object',
    outcome: 'a recorded name; never believed; not sent',
  },
  19: {
    attack: 'nonsense pod sets and replica counts',
    outcome: 'refused, nothing overflows',
  },
  20: {
    attack: 'a submitter who lost the permission after admission',
    outcome: 'no Job; the condition says so',
  },
  21: {
    attack: 'a forged or edited submitter',
    outcome: 'overwritten on create, frozen on update',
  },
  22: {
    attack: 'a gated Job is resumed, or loses its queue label, by a user',
    outcome: 'suspended again or refused',
  },
  23: {
    attack: 'a forged Workload or admission',
    outcome: 'nothing that a tenant writes resumes; who may admit Workloads does',
  },
  24: {
    attack: 'objects at the limit: 1.4 MiB, 256 KiB of annotations, 10,000 labels',
    outcome: 'accepted or refused cleanly; others go on',
  },
  25: {
    attack: 'bodies of 100 MB, without an end, byte by byte, 10,000 at once',
    outcome: '413 or 408 or 503; the rest answers within a second',
  },
  26: {
    attack: 'JSON 100,000 deep, repeated keys, __proto__ and constructor',
    outcome: 'refused or read safely',
  },
  27: {
    attack: 'YAML that expands, merges or names types',
    outcome: 'refused, within bounds',
  },
  28: {
    attack: 'text that makes a regular expression backtrack',
    outcome: 'linear work',
  },
  29: {
    attack: 'content types with tabs, case and suffix tricks; compressed bombs',
    outcome: '415; nothing is inflated',
  },
  30: {
    attack: 'parameters that look like JSON, variables, lines or terminal codes',
    outcome: 'values stay values; escaped where people read them',
  },
  31: {
    attack: 'markup and line breaks in names and messages that are logged',
    outcome: 'one JSON line each, escaped; the web face is still to come',
  },
  32: {
    attack: 'an address that leads, or redirects, to another one',
    outcome: 'no address comes from users, no redirect is followed',
  },
  33: {
    attack: 'a malformed annotation or condition on one object',
    outcome: 'that object is reported; the others go on',
  },
  34: {
    attack: '1,000 items that always fail',
    outcome: 'parked, bounded; good ones are not delayed',
  },
  35: {
    attack: 'a forged event sent to a function',
    outcome: '401 without a signature; and it could only name an object',
  },
  36: {
    attack: 'a recorded event sent again a thousand times, or an hour later',
    outcome: 'refused outside the window; within it nothing happens twice',
  },
  37: {
    attack: 'an attacker writes to Redis: forged, edited and deleted items',
    outcome: 'more reads and delay, nothing else',
  },
  38: {
    attack: 'a Redis beyond this machine without TLS',
    outcome: 'refused at the start unless a setting allows it',
  },
  39: {
    attack: 'a flood of events',
    outcome: 'at most two items for each object',
  },
  40: {
    attack: 'secret values in environments, annotations and messages',
    outcome: 'never in an event, a log, Redis, a metric or a record',
  },
  41: {
    attack: 'replay of foreign, outside or oversized recordings',
    outcome: 'refused; what is delivered again writes nothing',
  },
  42: {
    attack: 'what shows records, without, with any, or with a stolen credential',
    outcome: '401 or 403',
  },
  43: {
    attack: 'names that would become metric labels',
    outcome: 'labels are bounded',
  },
  44: {
    attack: 'one tenant creates 50,000 flows',
    outcome: 'a quota of the namespace bounds them, and those of others go on',
  },
  45: {
    attack: 'a namespace is deleted while Millrace is away',
    outcome: 'flows hold nothing; policies let it go as soon as Millrace is back',
  },
  46: {
    attack: 'a webhook certificate that expired or changed',
    outcome: 'reloaded; the failure policy holds',
  },
  47: {
    attack: 'a dry run',
    outcome: 'no effect anywhere',
  },
  48: {
    attack: 'a token that expires, a new authority of the API server',
    outcome: 'read again, no restart',
  },
  49: {
    attack: 'clocks ten minutes apart on a signed delivery',
    outcome: 'a clear refusal and a metric, no bypass',
  },
  50: {
    attack: 'a dependency with an install script, or an altered one',
    outcome: 'scripts do not run; every entry of the lock has its digest',
  },
  51: {
    attack: 'an older controller meets a newer object',
    outcome: 'unknown fields stay',
  },
  52: {
    attack: 'two replicas remove a finalizer and one is killed',
    outcome: 'removed once',
  },
  53: {
    attack: 'a hijacked process asks more of Redis than its work takes',
    outcome: 'refused: a user for each process, with its own commands and keys',
  },
  54: {
    attack:
      'a user without rights on Jobs submits while no webhook is registered, or names another user',
    outcome: 'no Job; Blocked with SubmitterUnknown, and a forged annotation is refused',
  },
  55: {
    attack: 'the same while the process of the webhooks is stopped, or flooded with forged reviews',
    outcome: 'refused; the flood makes no review late and learns nothing',
  },
  56: {
    attack: 'the same in kube-system, which no webhook reviews',
    outcome: 'no Job; Blocked with ExemptNamespace',
  },
  57: {
    attack:
      'a flow that refers to 21 or 201 JobTemplates, of which the last one is beyond its rights',
    outcome: 'every template is judged, and a flow with more than the bound is refused with it',
  },
  58: {
    attack:
      'an object with 21 or 101 service accounts, of which its submitter may not use the last',
    outcome:
      'every service account is asked for, and an object with more than the bound is refused',
  },
  59: {
    attack: 'a JobTemplate of another user runs in a flow by the right of its submitter',
    outcome: 'the last editor of the template and the submitter need the rights, before each Job',
  },
  60: {
    attack: 'a user without a right changes what the flow of a user with this right runs',
    outcome: 'refused, or the user who changed it is the submitter from then on',
  },
  61: {
    attack: 'a user who may write jobflows/status forges a pinned template',
    outcome: 'it is not run: the JobTemplate is read anew, and an Event says so',
  },
  62: {
    attack:
      'an object that the schema takes and that is made to cost: windows, selectors, edges, misspelt names',
    outcome: 'one decision and one review stay bounded; those of others go on',
  },
  63: {
    attack:
      'a Pod without its confinement, or one that has its node act for it: seccomp, AppArmor, SELinux, sysctls, probe hosts, gitRepo',
    outcome: 'refused with the field, by the profile baseline',
  },
};

/** The row that a test belongs to, by the title of the test or of a suite around it. */
export function rowOf(title: string): number | undefined {
  const number = Number(/#(\d{2}) /.exec(title)?.[1]);
  return number in attacks ? number : undefined;
}
