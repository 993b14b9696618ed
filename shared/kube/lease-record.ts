/** coordination.k8s.io/v1 Lease, as leader election uses it. */
import type {
  JsonObject,
  KubeObject,
  NewObject,
  ObjectName,
  ResourceVersion,
  Uid,
} from '#shared/domain/objects.ts';
import { rfc3339Micro } from '#shared/domain/time.ts';

export interface LeaseRecord {
  readonly uid: Uid;
  /** Changes with every renewal; a candidate looks only at that. */
  readonly resourceVersion: ResourceVersion;
  /** Empty: released. */
  readonly holder: string;
  /** The holder may stay silent for this time, in milliseconds. Undefined: the lease does not say. */
  readonly durationMs: number | undefined;
  readonly transitions: number;
}

export function leaseRecord(lease: KubeObject): LeaseRecord {
  const { uid, resourceVersion } = lease.metadata;
  const spec = (lease.spec ?? {}) as Readonly<Record<string, unknown>>;
  const { holderIdentity, leaseDurationSeconds, leaseTransitions } = spec;
  return {
    uid,
    resourceVersion,
    holder: typeof holderIdentity === 'string' ? holderIdentity : '',
    durationMs: typeof leaseDurationSeconds === 'number' ? leaseDurationSeconds * 1000 : undefined,
    transitions: typeof leaseTransitions === 'number' ? leaseTransitions : 0,
  };
}

export interface Holding {
  readonly identity: string;
  readonly leaseMs: number;
  /** Milliseconds since the epoch; for people only. */
  readonly nowMs: number;
}

export function newLease(name: ObjectName, holding: Holding): NewObject {
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { ...name },
    spec: { ...renewal(holding), acquireTime: rfc3339Micro(holding.nowMs), leaseTransitions: 0 },
  };
}

/** A merge patch for the observed version only: of two candidates, one succeeds. */
export function takeover(seen: LeaseRecord, holding: Holding): JsonObject {
  const transitions = seen.transitions + 1;
  const acquireTime = rfc3339Micro(holding.nowMs);
  return guarded(seen, { ...renewal(holding), acquireTime, leaseTransitions: transitions });
}

export function renewed(seen: LeaseRecord, holding: Holding): JsonObject {
  return guarded(seen, renewal(holding));
}

/**
 * No holder, so that the next candidate need not wait. One second is the smallest valid duration.
 */
export function released(seen: LeaseRecord, nowMs: number): JsonObject {
  return guarded(seen, renewal({ identity: '', leaseMs: 1000, nowMs }));
}

function renewal({ identity, leaseMs, nowMs }: Holding): JsonObject {
  return {
    holderIdentity: identity,
    leaseDurationSeconds: Math.max(1, Math.ceil(leaseMs / 1000)),
    renewTime: rfc3339Micro(nowMs),
  };
}

function guarded({ uid, resourceVersion }: LeaseRecord, spec: JsonObject): JsonObject {
  return { metadata: { uid, resourceVersion }, spec };
}
