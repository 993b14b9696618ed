/** Bugs in how the cluster is followed: lists, watches, views, the sweep, the lease. */
import type { Mutant } from '../mutant.ts';

const reflector = 'shared/kube/reflector.ts';
const reflectorTests = ['shared/kube/reflector.test.ts', 'shared/kube/reflector-watch.test.ts'];
const fingerprint = 'shared/subscription/fingerprint.ts';
const fingerprintTest = 'functions/flow-advance/subscription/fingerprint.test.ts';
const view = 'shared/kube/object-view.ts';
const viewTests = ['shared/kube/object-view.test.ts'];

export const followingMutants: readonly Mutant[] = [
  {
    name: 'takes an empty retry annotation for a request that nobody ever handles',
    file: 'shared/domain/manual-retry.ts',
    find: "return nonce === '' || nonce === status?.retryNonce ? undefined : nonce;",
    replacement: 'return nonce === status?.retryNonce ? undefined : nonce;',
    tests: [
      'shared/domain/manual-retry.test.ts',
      'functions/flow-advance/subscription/unfinished.test.ts',
    ],
  },
  {
    name: 'watches more than it has listed',
    file: 'shared/kube/reflector.ts',
    find: '          ...this.#scope,\n',
    replacement: '          ...this.#scopeNow(),\n',
    tests: reflectorTests,
  },
  {
    name: 'follows by weak references what aborts a call',
    file: 'shared/domain/under-either.ts',
    find: 'const either = new AbortController();',
    replacement: `if (signals.length > 0) return call(AbortSignal.any([...signals]));
  const either = new AbortController();`,
    tests: ['functions/bridge/bridge.test.ts', 'shared/domain/under-either.test.ts'],
  },
  {
    name: 'forgets the sweep',
    file: 'functions/bridge/sweep.ts',
    find: 'if (this.#options.leading()) await this.#attempt(() => this.#sweep());',
    replacement: 'if (!this.#options.leading()) await this.#attempt(() => this.#sweep());',
    tests: ['functions/bridge/sweep.test.ts'],
  },
  {
    name: 'does not notice that the store lost its data',
    file: 'functions/bridge/sweep.ts',
    find: 'if (epoch !== this.#epoch) {',
    replacement: "if (epoch === '') {",
    tests: ['functions/bridge/sweep.test.ts'],
  },
  {
    name: 'enqueues what was not recorded',
    file: 'functions/bridge/publish.ts',
    find: `await this.#record(told.map(({ event }) => event));
    await this.#enqueue(this.#itemsOf(told));
    for`,
    replacement: `await this.#enqueue(this.#itemsOf(told));
    await this.#record(told.map(({ event }) => event));
    for`,
    tests: ['functions/bridge/publish.test.ts'],
  },
  {
    name: 'remembers a change as published that no store took',
    file: 'functions/bridge/publish.ts',
    find: 'await this.#record(told.map(({ event }) => event));',
    replacement: `for (const { item, event } of told) this.#published.remember(item, event);
    await this.#record(told.map(({ event }) => event));`,
    tests: ['functions/bridge/publish.test.ts'],
  },
  {
    name: 'takes what a Job came to for no news',
    file: fingerprint,
    find: 'return [type ?? null, holds ?? null];',
    replacement: 'return [type ?? null, holds ?? null].slice(0, 0);',
    tests: [fingerprintTest],
  },
  {
    name: 'does not list anew after 410',
    file: reflector,
    find: `this.#retry.countOnly();
      return 'list';
    }
    await this.#backOff('watch', error, signal);
    const hopeless = hasCode(error, 'MR_API_GONE') || errorClassOf(error) === 'terminal';`,
    replacement: `this.#retry.countOnly();
      return 'watch';
    }
    await this.#backOff('watch', error, signal);
    const hopeless = errorClassOf(error) === 'terminal';`,
    tests: reflectorTests,
  },
  {
    name: 'takes a list that is older than what it knows',
    file: 'shared/kube/reflector-ledger.ts',
    find: 'return this.#version !== undefined && isNewer(this.#version, list.resourceVersion);',
    replacement: "return this.#version === '' && isNewer(this.#version, list.resourceVersion);",
    tests: reflectorTests,
  },
  {
    name: 'refuses for ever the lists of a cluster that was restored',
    file: reflector,
    find: "if (this.#refusals.areAnotherHistory(this.#times.history)) return 'older-lists';",
    replacement:
      "if (this.#refusals.areAnotherHistory(this.#times.history) && list.items.length < 0) return 'older-lists';",
    tests: [...reflectorTests, 'shared/kube/reflector-restored.test.ts'],
  },
  {
    name: 'believes the first older list',
    file: 'shared/kube/refused-lists.ts',
    find: 'return this.#count >= refusals && this.#waitedMs',
    replacement: 'return this.#count >= Math.min(1, refusals) || this.#waitedMs',
    tests: reflectorTests,
  },
  {
    name: 'takes lists of several servers that lag for one history',
    file: 'shared/kube/refused-lists.ts',
    find: 'if (this.#last !== undefined && isNewer(this.#last, version)) this.clear();',
    replacement: "if (this.#last === '' && isNewer(this.#last, version)) this.clear();",
    tests: ['shared/kube/reflector-restored.test.ts'],
  },
  {
    name: 'keeps a state that a restore undid when the restore raised the revision',
    file: 'shared/kube/reflector-ledger.ts',
    find: 'return isNewer(held.metadata.resourceVersion, item.metadata.resourceVersion);',
    replacement: 'return isNewer(item.metadata.resourceVersion, list.resourceVersion);',
    tests: ['shared/kube/reflector-restored.test.ts'],
  },
  {
    name: 'keeps own writes of a history that is no more',
    file: view,
    find: `this.#entries.clear();
    this.#byController.clear();
    this.#byRoot.clear();
    this.#forgotten.clear();`,
    replacement: 'this.#passed = undefined;',
    tests: ['shared/kube/reflector-restored.test.ts'],
  },
  {
    name: 'relies on what it published before another bridge led',
    file: 'functions/bridge/bridge.ts',
    find: `this.#leading = leading;
    this.#publisher.forgetPublished();`,
    replacement: 'this.#leading = leading;',
    tests: ['functions/bridge/bridge.test.ts'],
  },
  {
    name: 'forgets a take-over whose publication failed once',
    file: 'functions/bridge/sweep.ts',
    find: 'this.#due ??= reason;',
    replacement: "if (reason === 'store-lost-data') this.#due ??= reason;",
    tests: ['functions/bridge/bridge.test.ts'],
  },
  {
    name: 'goes on under the identity of another cluster',
    file: 'functions/bridge/bridge.ts',
    find: 'if (found === expected) return;',
    replacement: 'if (found !== undefined) return;',
    tests: ['functions/bridge/bridge.test.ts'],
  },
  {
    name: 'waits for ever on a watch that says nothing',
    file: 'shared/kube/reflector-watch.ts',
    find: "if (Math.round(silentForMs) >= silenceMs) return 'silent';",
    replacement: "if (silentForMs < 0) return 'silent';",
    tests: reflectorTests,
  },
  {
    name: 'takes a slow receiver for a watch that says nothing',
    file: 'shared/kube/reflector-watch.ts',
    find: 'return pulse.heard || pulse.taking;',
    replacement: 'return pulse.heard;',
    tests: ['shared/kube/reflector-delivery.test.ts'],
  },
  {
    name: 'lets a late watch line undo an own write',
    file: view,
    find: 'if (held === undefined || !isNewer(held, object.metadata.resourceVersion)) {',
    replacement: "if (held === undefined || held !== '') {",
    tests: viewTests,
  },
  {
    name: 'brings back a Job that an own delete removed',
    file: view,
    find: 'if (!this.#forgotten.has(object.metadata.uid)) this.#tell(key, object);',
    replacement: 'this.#tell(key, object);',
    tests: viewTests,
  },
  {
    name: 'forgets its own delete with a list from before the creation',
    file: view,
    find: 'if (!listed.has(uid) && !isNewer(version, listedAt)) this.#forgotten.delete(uid);',
    replacement: "if (!listed.has(uid) && version !== '') this.#forgotten.delete(uid);",
    tests: viewTests,
  },
  {
    name: 'takes an object for absent because the view lacks it',
    file: 'shared/kube/view-reader.ts',
    find: 'return known !== undefined && isMeant ? known : fallback.get(kind, { namespace, name });',
    replacement:
      'return complete(kind) !== undefined && isMeant ? known : fallback.get(kind, { namespace, name });',
    tests: ['shared/kube/view-reader.test.ts'],
  },
  {
    name: 'publishes although another bridge leads',
    file: 'functions/bridge/bridge.ts',
    find: 'if (this.#leading) await this.#publisher.publish(watched, changes);',
    replacement: 'await this.#publisher.publish(watched, changes);',
    tests: ['functions/bridge/bridge.test.ts'],
  },
  {
    name: 'goes on publishing although it lost the lease while the journal answered',
    file: 'functions/bridge/sweep.ts',
    find: 'if (!this.#options.leading()) return;\n    if (epoch',
    replacement: 'if (epoch',
    tests: ['functions/bridge/sweep.test.ts'],
  },
  {
    name: 'waits for one answer about its lease as long as the server takes',
    file: 'shared/kube/lease-elector.ts',
    find: 'return this.#times.renewMs / 2;',
    replacement: 'return this.#times.renewMs * 20;',
    tests: ['shared/kube/lease-elector.test.ts'],
  },
  {
    name: 'releases the lease while its renewal is under way',
    file: 'shared/kube/lease-elector.ts',
    find: 'const overdue = this.#options.clock.sleep(limitMs, answered.signal)',
    replacement:
      'const overdue = this.#options.clock.sleep(limitMs, AbortSignal.any([stop, answered.signal]))',
    tests: ['shared/kube/lease-elector.test.ts'],
  },
  {
    name: 'keeps a lease that it won too late when it ends',
    file: 'shared/kube/lease-elector.ts',
    find: 'await this.#release();\n    return false;',
    replacement: 'return false;',
    tests: ['shared/kube/lease-elector.test.ts'],
  },
  {
    name: 'leads when the answer that made it the leader comes after the term',
    file: 'shared/kube/lease-elector.ts',
    find: "return this.#leftMs() > 0 ? 'ours' : 'unknown';",
    replacement: "return 'ours';",
    tests: ['shared/kube/lease-elector.test.ts'],
  },
  {
    name: 'takes the lease from a leader that renews it',
    file: 'shared/kube/lease-elector.ts',
    find: "if (record.holder !== identity && !this.#hasRunOut(record)) return 'taken';",
    replacement: "if (record.holder !== identity && record.resourceVersion === '') return 'taken';",
    tests: ['shared/kube/lease-elector.test.ts'],
  },
  {
    name: 'counts the term of a leader from the answer that renewed it',
    file: 'shared/kube/lease-elector.ts',
    find: 'Math.max(this.#renewedAtMs, startedMs);',
    replacement: 'Math.max(startedMs, this.#options.clock.monotonicMs());',
    tests: ['shared/kube/lease-elector.test.ts'],
  },
  {
    name: 'takes the lease when its wall clock is set forward',
    file: 'shared/kube/lease-elector.ts',
    find: 'return this.#options.clock.monotonicMs() - this.#seenChangeAtMs >= patienceMs;',
    replacement: 'return this.#options.clock.now() - this.#seenChangeAtMs >= patienceMs;',
    tests: ['shared/kube/lease-elector.test.ts'],
  },
  {
    name: 'decides by the clock of its machine',
    file: 'shared/kube/cluster-clock.ts',
    find: 'return nowMs - this.#aheadMs(nowMs);',
    replacement: 'return nowMs - 0 * this.#aheadMs(nowMs);',
    tests: ['shared/kube/cluster-clock.test.ts'],
  },
  {
    name: 'lets its machine set the time of the cluster once it was heard',
    file: 'shared/kube/cluster-clock.ts',
    find: 'const offsetMs = nowMs - monotonicMs;',
    replacement: 'const offsetMs = nowMs - monotonicMs;\n    if (offsetMs > latestMs) return 0;',
    tests: ['shared/kube/cluster-clock.test.ts'],
  },
  {
    name: 'takes an answer for as new as its arrival',
    file: 'shared/kube/cluster-clock.ts',
    find: 'lowMs: dateMs - answeredMs,',
    replacement: 'lowMs: dateMs + secondMs - askedMs,',
    tests: ['shared/kube/cluster-clock.test.ts'],
  },
  {
    name: 'believes one answer that says that it is later',
    file: 'shared/kube/cluster-clock.ts',
    find: 'const believedAfter = 3;',
    replacement: 'const believedAfter = 1;',
    tests: ['shared/kube/cluster-clock.test.ts'],
  },
  {
    name: 'leads on after its lease has run out',
    file: 'shared/kube/lease-elector.ts',
    find: 'this.#renewedAtMs + this.#times.renewMs - this.#options.clock.monotonicMs()',
    replacement: 'this.#renewedAtMs + 2 * this.#times.leaseMs - this.#options.clock.monotonicMs()',
    tests: ['shared/kube/lease-elector.test.ts'],
  },
  {
    name: 'wakes nobody when a JobTemplate comes that steps wait for',
    file: 'functions/flow-advance/subscription/index-flows.ts',
    find: 'return index.get(templateKey(namespace, name)) ?? [];',
    replacement: "return index.get(templateKey('', name)) ?? [];",
    tests: ['functions/bridge/publish.test.ts'],
  },
  {
    name: 'takes a request to retry for no news',
    file: fingerprint,
    find: '[...identity(object), ownAnnotations(object)]',
    replacement: '[...identity(object)]',
    tests: [fingerprintTest],
  },
  {
    name: 'takes an edit of a flow for no news',
    file: fingerprint,
    find: '[...identity(object), ownAnnotations(object)]',
    replacement: '[...identity(object).slice(1), ownAnnotations(object)]',
    tests: [fingerprintTest],
  },
  {
    name: 'wakes a flow for what it wrote itself',
    file: fingerprint,
    find: '[...identity(object), ownAnnotations(object)]',
    replacement:
      '[...identity(object), ownAnnotations(object), JSON.stringify(object.status ?? {})]',
    tests: [fingerprintTest],
  },
  {
    name: 'wakes a flow for the bookkeeping of the Job controller',
    file: fingerprint,
    find: 'return [...identity(job), ownerOf(job), jobProgress(job)];',
    replacement: 'return [...identity(job), job.metadata.resourceVersion];',
    tests: [fingerprintTest],
  },
  {
    name: 'enqueues every change twice',
    file: 'functions/bridge/publish.ts',
    find: `await this.#enqueue(this.#itemsOf(told));
    for`,
    replacement: `await this.#enqueue(this.#itemsOf(told));
    await this.#enqueue(this.#itemsOf(told));
    for`,
    tests: ['functions/bridge/publish.test.ts'],
  },
  {
    name: 'keeps the copy of kubectl in the views',
    file: 'shared/domain/strip-metadata.ts',
    find: 'const copied = annotations !== undefined && lastApplied in annotations;',
    replacement: "const copied = annotations !== undefined && 'none' in annotations;",
    tests: ['shared/domain/strip-metadata.test.ts'],
  },
  {
    name: 'takes an informational response for the answer',
    file: 'shared/kube/whole-answer.ts',
    find: 'if (statusCode < 200) return;',
    replacement: 'if (statusCode < 100) return;',
    tests: ['shared/kube/whole-answer.test.ts'],
  },
  {
    name: 'leaves the connection open of an answer that nobody waits for any more',
    file: 'shared/kube/whole-answer.ts',
    find: 'this.#controller?.abort(reason);',
    replacement: '',
    tests: ['shared/kube/whole-answer.test.ts'],
  },
  {
    name: 'sends a request that was aborted while it waited for a connection',
    file: 'shared/kube/whole-answer.ts',
    find: 'if (this.#brokenOff !== undefined) controller.abort(this.#brokenOff);',
    replacement: '',
    tests: ['shared/kube/whole-answer.test.ts'],
  },
  {
    name: 'waits for the end of an answer of which enough has come',
    file: 'shared/kube/whole-answer.ts',
    find: 'if (this.#bytes < (this.#options.enoughBytes ?? Infinity)) return;',
    replacement: 'if (this.#bytes > 0) return;',
    tests: ['shared/kube/whole-answer.test.ts'],
  },
];
