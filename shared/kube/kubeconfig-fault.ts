import { MillraceError } from '#shared/domain/errors.ts';

/** MR_KUBECONFIG_UNUSABLE from an error or a sentence. */
export function kubeconfigUnusable(path: string, reason: unknown): MillraceError {
  if (reason instanceof MillraceError) return reason;
  const detail = reason instanceof Error ? reason.message : String(reason);
  return new MillraceError('MR_KUBECONFIG_UNUSABLE', { path, detail }, { cause: reason });
}
