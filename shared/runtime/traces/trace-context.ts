/** W3C Trace Context, version 00. */
import { randomBytes } from 'node:crypto';

export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits: the parent span. */
  readonly spanId: string;
}

/** Undefined: none, one of another version, or one that is not sampled. */
export function recordedTrace(traceparent: string | undefined): TraceContext | undefined {
  const found = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(traceparent ?? '');
  const [, traceId = '', spanId = '', flags = ''] = found ?? [];
  const isSampled = (Number.parseInt(flags, 16) & 1) === 1;
  return found !== null && isSampled ? { traceId, spanId } : undefined;
}

export function traceparentText({ traceId, spanId }: TraceContext): string {
  return `00-${traceId}-${spanId}-01`;
}

export function newSpanId(): string {
  return randomBytes(8).toString('hex');
}
