/** Decisions read only fields that reads deliver: a field that views drop cannot decide anything. */
import { describe, expect, it } from 'vitest';
import { functions } from '#functions/list.ts';
import { asLooksSee } from './delivered-fields/looks.ts';
import { pathsIn, recorded } from './delivered-fields/paths.ts';

const nowMs = Date.parse('2026-01-05T12:00:00Z');

/** Fields of the API server's answers to a decision or a read, which are not part of the cluster. */
const ofAnswers = /^(rejections|warnings|heldNames|lacksKueue)\b/;
/**
 * Fields of an owner that waits in a queue, and of a copy by MultiKueue.
 * test/cluster/kueue-{admission,multikueue}.test.ts have such flows.
 */
const ofQueued: ReadonlySet<string> = new Set(['ancestor', 'isDispatched']);
/** A record whose keys are data. */
const calledByValues = 'daemonJob.status.ledger.';
/** The schedule of another policy is passed on unchanged. */
const copiedSchedule = /^rivals\[\]\.schedule/;
/** Fields of a JobTemplate that was read under the name of a pin. */
const generationNow = /^replacedPins\[\]\.generation$/;
/** Set while reading a label without a number. suspend-schedule/observe.test.ts has such a Job. */
const unreadablePriority = 'objects[].priorityFault';
/** Settings of the function. */
const settings = /^(rules|ignoresTopology|keepsDeactivatedMs)\b/;
/** Fields of a Pod on a node with the label. test/cluster/appwrapper-node-health.test.ts has such a node. */
const brokenNode = /^pods\[\]\.brokenNode\b/;
/**
 * A refused read, and a resource of another owner. appwrapper-lifecycle/observe.test.ts has both.
 */
const notOurs = /^components\[\]\.(unreadable|isOthers)$/;
/** Enough looks for each member to be present in some and absent in others. */
const looks = 300;

describe.each(functions.map((fn) => [fn.subscription.name, fn] as const))('%s', (_, fn) => {
  it('decides by nothing of the cluster that its reads never deliver', async () => {
    const delivered = new Set<string>();
    const read = new Set<string>();
    for (const decided of fn.subscription.decides) {
      for (const look of asLooksSee(fn, decided, looks)) {
        const snapshot = await look();
        if (snapshot === undefined) continue;
        pathsIn(snapshot, delivered);
        const seen = recorded(snapshot, read);
        const decision = fn.decide(seen, { nowMs });
        fn.secondLook?.takesForAbsent?.(seen, decision);
        fn.secondLook?.restsOnAll?.(seen, decision);
      }
    }
    const lost = [...read].filter(
      (path) =>
        !delivered.has(path) &&
        !delivered.has(path.replace(copiedSchedule, 'policy.spec.schedule')) &&
        !delivered.has(path.replace(generationNow, 'templates')) &&
        path !== unreadablePriority &&
        !ofQueued.has(path) &&
        ![ofAnswers, settings, brokenNode, notOurs].some((pattern) => pattern.test(path)) &&
        !path.startsWith(calledByValues),
    );
    expect(lost).toEqual([]);
    expect(read.size).toBeGreaterThan(40);
  });
});
