/** Bugs in how the cluster is followed: lists, watches, views, the sweep, the lease. */
import type { Mutant } from '../mutant.ts';

const reflectorTests = ['shared/kube/reflector.test.ts', 'shared/kube/reflector-watch.test.ts'];
const fingerprint = 'shared/subscription/fingerprint.ts';
const fingerprintTest = 'functions/flow-advance/subscription/fingerprint.test.ts';

export const followingMutants: readonly Mutant[] = [
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
    name: 'takes for published what the journal did not take',
    file: 'functions/bridge/publish.ts',
    find: 'await Promise.all([this.#record(events), this.#enqueue(this.#itemsOf(published))]);',
    replacement:
      'await Promise.allSettled([this.#record(events), this.#enqueue(this.#itemsOf(published))]);',
    tests: ['functions/bridge/publish.test.ts'],
  },
  {
    name: 'settles a lease with a run that began before something was added',
    file: 'functions/dispatcher/head-starts.ts',
    find: '    known.run = undefined;\n',
    replacement: '',
    tests: ['functions/dispatcher/head-starts.test.ts'],
  },
  {
    name: 'keeps a state that a restore undid when the restore raised the revision',
    file: 'shared/kube/reflector-ledger.ts',
    find: 'return isNewer(held.metadata.resourceVersion, item.metadata.resourceVersion);',
    replacement: 'return isNewer(item.metadata.resourceVersion, list.resourceVersion);',
    tests: ['shared/kube/reflector-restored.test.ts'],
  },
  {
    name: 'relies on what it published before another bridge led',
    file: 'functions/bridge/bridge.ts',
    find: `this.#whileLeading.lead(leading);
    this.#publisher.forgetPublished();`,
    replacement: 'this.#whileLeading.lead(leading);',
    tests: ['functions/bridge/bridge.test.ts'],
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
    name: 'wakes a flow for what it wrote itself',
    file: fingerprint,
    find: '[...identity(object), ownAnnotations(object)]',
    replacement:
      '[...identity(object), ownAnnotations(object), JSON.stringify(object.status ?? {})]',
    tests: [fingerprintTest],
  },
];
