import { MillraceError } from '#shared/domain/errors.ts';
import { fileFault } from '#shared/domain/file-fault.ts';

/** MR_KUBECONFIG_UNUSABLE from an error or a sentence. */
export function kubeconfigUnusable(path: string, reason: unknown): MillraceError {
  if (reason instanceof MillraceError) return reason;
  const message = reason instanceof Error ? reason.message : String(reason);
  // A parser quotes the line below its message, which may hold a token.
  const [firstLine = ''] = message.split('\n');
  const detail = fileFault(reason, path)?.message ?? firstLine.replace(/:$/, '');
  return new MillraceError('MR_KUBECONFIG_UNUSABLE', { path, detail }, { cause: reason });
}
